/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The grammar of D. The scanner identifies the parts of an item (PSPEC, EPRED, BODY_OPEN, ITEM_SEMI ...), so that an
 * error in one item does not affect the next. Actions only call the functions of node.h, decl.h and parse.h.
 */
%require "3.8"
%define api.pure full
%define api.prefix {dparse_}
%define api.token.prefix {TOK_}
%define api.location.type {struct loc}
%define parse.error custom
%define parse.lac full
%param {struct parser *p}
%locations
%expect 0

%code requires {
#include "lang/syntax/clause.h"
#include "lang/syntax/composite.h"
#include "lang/syntax/decl.h"
#include "lang/syntax/declare.h"
#include "lang/syntax/declare_provider.h"
#include "lang/syntax/parse.h"
}

%code provides {
int dparse_lex(DPARSE_STYPE *value, struct loc *loc, struct parser *p);
}

%{
#include <string.h>

#include "lang/syntax/gram.h"

#define YYMAXDEPTH 20000
#define YYLLOC_DEFAULT(cur, rhs, n) ((cur) = (n) ? YYRHSLOC(rhs, 1) : YYRHSLOC(rhs, 0))

static void dparse_error(struct loc *loc, struct parser *p, const char *text);
%}

%union {
	const char *str;
	struct node *node;
	struct nodes *nodes;
	struct stmt *stmt;
	struct stmts stmts;
	struct clause *clause;
	struct decl_specs *specs;
	struct declr *declr;
	struct type *type;
	struct types_list *types;
	struct composite *composite;
	struct enums *enums;
	enum op op;
	enum decl_word word;
	enum type_kind kind;
	enum storage storage;
	struct declrs *declrs;
}

%token <str> PSPEC "probe description" IDENT "identifier" TNAME "type name" BTICK "kernel identifier"
%token <str> AGG "aggregation"
%token <node> SPECID "probe id" INT "integer" STR "string"
%token <word> WORD "type" QUALIFIER
%token <kind> SOU "struct"
%token <storage> SCOPE "self" STORAGE "typedef"
%token <op> ASSIGN "assignment"
%token YYEOF 0 "end of input"
%token ITEM_SEMI "';'" BODY_OPEN "'{'" BODY_CLOSE "'}'" EPRED "'/' at the end of the predicate"
%token ENUM "enum" INLINE "inline" TRANSLATOR "translator" PROVIDER "provider" PROBE "probe"
%token RESERVED "reserved word" LOOP "loop" DO "do"
%token LOR "'||'" LXOR "'^^'" LAND "'&&'" EQ "'=='" NE "'!='" LE "'<='" GE "'>='" SHL "'<<'" SHR "'>>'"
%token IF "if" ELSE "else" SIZEOF "sizeof" STRINGOF "stringof" OFFSETOF "offsetof" XLATE "xlate"
%token ARROW "'->'" INC "'++'" DEC "'--'" ELLIPSIS "'...'"

%left LOR
%left LXOR
%left LAND
%left '|'
%left '^'
%left '&'
%left EQ NE
%left '<' '>' LE GE
%left SHL SHR
%left '+' '-'
%left '*' '/' '%'
%precedence THEN
%precedence ELSE

%type <clause> head probes
%type <stmts> block closed arm
%type <stmt> stmt
%type <node> expr assign cond binary cast unary postfix primary size_opt
%type <nodes> args args_opt path
%type <op> uop
%type <specs> specs keyword_specs words qualifiers qualified named decl_head variables key_specs param_specs
%type <declr> declr direct abstract parts whole field variable param
%type <declrs> fields
%type <types> key_types params params_opt probe_params
%type <storage> storages
%type <str> probe_name
%type <type> type cast_type given
%type <composite> sou_body
%type <enums> enum_head enum_body

%%

program
	: items
	| items head				{ clause_add(p, $2, NULL, false); }
	;

items
	: %empty
	| items item				{ p->used = true; }
	;

item
	: ITEM_SEMI
	| head ITEM_SEMI			{ clause_add(p, $1, NULL, false); }
	| head BODY_OPEN block BODY_CLOSE	{ clause_add(p, $1, $3.first, true); yyerrok; parse_resume(p); }
	| unended ITEM_SEMI
	| unended BODY_CLOSE
	| unended BODY_OPEN block BODY_CLOSE	{ yyerrok; parse_resume(p); }
	| declaration ITEM_SEMI
	| inline ITEM_SEMI
	| translator ITEM_SEMI
	| provider ITEM_SEMI
	| error ITEM_SEMI			{ yyerrok; parse_resume(p); }
	| error BODY_CLOSE			{ yyerrok; parse_resume(p); }
	;

/* ---- clauses ---- */

head
	: probes
	| probes '/' expr EPRED		{ $$ = $1; $$->pred = $3; }
	| probes '/' error EPRED		{ $$ = $1; yyerrok; parse_resume(p); }
	;

/* A predicate without its closing '/'. The rest is still parsed, to report its errors. */
unended
	: probes '/' error			{ yyerrok; parse_resume(p); }
	;

probes
	: PSPEC					{ $$ = clause_new(p, @1); clause_spec(p, $$, $1, @1); }
	| SPECID				{ $$ = clause_new(p, @1); clause_spec_id(p, $$, $1, @1); }
	| probes ',' PSPEC			{ $$ = $1; clause_spec(p, $$, $3, @3); }
	| probes ',' SPECID			{ $$ = $1; clause_spec_id(p, $$, $3, @3); }
	;

block
	: closed
	| closed expr				{ $$ = stmts_add($1, stmt_expr(p, @2, $2)); }
	| closed error				{ $$ = $1; }
	;

closed
	: %empty				{ $$ = (struct stmts){ 0 }; }
	| closed stmt				{ $$ = stmts_add($1, $2); }
	;

stmt
	: ';'					{ $$ = NULL; }
	| expr ';'				{ $$ = stmt_expr(p, @1, $1); }
	| IF '(' expr ')' arm %prec THEN	{ $$ = stmt_if(p, @1, $3, $5.first, NULL); }
	| IF '(' expr ')' arm ELSE arm		{ $$ = stmt_if(p, @1, $3, $5.first, $7.first); }
	| loop arm				{ $$ = $2.first; }
	| do arm loop ';'			{ $$ = $2.first; }
	| error ';'				{ $$ = NULL; yyerrok; parse_resume(p); }
	;

/* D has no loops; the scanner has reported that. The body is still parsed, to report its errors. */
loop
	: LOOP '(' loop_parts ')'		{ parse_resume(p); }
	| LOOP '(' error ')'			{ yyerrok; parse_resume(p); }
	;

loop_parts
	: loop_part
	| loop_part ';' loop_part
	| loop_part ';' loop_part ';' loop_part
	;

loop_part
	: %empty
	| expr
	;

do
	: DO					{ parse_resume(p); }
	;

arm
	: stmt					{ $$ = stmts_add((struct stmts){ 0 }, $1); }
	| '{' block '}'				{ $$ = $2; }
	;

/* ---- expressions ---- */

expr
	: assign
	| expr ',' assign			{ $$ = node_comma(p, @2, $1, $3); }
	;

assign
	: cond
	| unary '=' assign			{ $$ = node_assign(p, @2, OP_NONE, $1, $3); }
	| unary ASSIGN assign			{ $$ = node_assign(p, @2, $2, $1, $3); }
	;

cond
	: binary
	| binary '?' expr ':' cond		{ $$ = node_cond(p, @2, $1, $3, $5); }
	;

binary
	: cast
	| binary LOR binary			{ $$ = node_binary(p, @2, OP_LOR, $1, $3); }
	| binary LXOR binary			{ $$ = node_binary(p, @2, OP_LXOR, $1, $3); }
	| binary LAND binary			{ $$ = node_binary(p, @2, OP_LAND, $1, $3); }
	| binary '|' binary			{ $$ = node_binary(p, @2, OP_OR, $1, $3); }
	| binary '^' binary			{ $$ = node_binary(p, @2, OP_XOR, $1, $3); }
	| binary '&' binary			{ $$ = node_binary(p, @2, OP_AND, $1, $3); }
	| binary EQ binary			{ $$ = node_binary(p, @2, OP_EQ, $1, $3); }
	| binary NE binary			{ $$ = node_binary(p, @2, OP_NE, $1, $3); }
	| binary '<' binary			{ $$ = node_binary(p, @2, OP_LT, $1, $3); }
	| binary '>' binary			{ $$ = node_binary(p, @2, OP_GT, $1, $3); }
	| binary LE binary			{ $$ = node_binary(p, @2, OP_LE, $1, $3); }
	| binary GE binary			{ $$ = node_binary(p, @2, OP_GE, $1, $3); }
	| binary SHL binary			{ $$ = node_binary(p, @2, OP_SHL, $1, $3); }
	| binary SHR binary			{ $$ = node_binary(p, @2, OP_SHR, $1, $3); }
	| binary '+' binary			{ $$ = node_binary(p, @2, OP_ADD, $1, $3); }
	| binary '-' binary			{ $$ = node_binary(p, @2, OP_SUB, $1, $3); }
	| binary '*' binary			{ $$ = node_binary(p, @2, OP_MUL, $1, $3); }
	| binary '/' binary			{ $$ = node_binary(p, @2, OP_DIV, $1, $3); }
	| binary '%' binary			{ $$ = node_binary(p, @2, OP_MOD, $1, $3); }
	;

cast
	: unary
	| '(' cast_type ')' cast		{ $$ = node_cast(p, @1, $2, $4); }
	;

unary
	: postfix
	| INC unary				{ $$ = node_unary(p, @1, OP_PREINC, $2); }
	| DEC unary				{ $$ = node_unary(p, @1, OP_PREDEC, $2); }
	| uop cast				{ $$ = node_unary(p, @1, $1, $2); }
	| '*' cast				{ $$ = node_deref(p, @1, $2); }
	| '&' cast				{ $$ = node_addr(p, @1, $2); }
	| SIZEOF unary				{ $$ = node_sizeof(p, @1, $2); }
	| SIZEOF '(' cast_type ')'		{ $$ = node_sizeof(p, @1, node_type(p, @3, $3)); }
	| STRINGOF unary			{ $$ = node_stringof(p, @1, $2); }
	;

uop
	: '-'					{ $$ = OP_NEG; }
	| '+'					{ $$ = OP_PLUS; }
	| '~'					{ $$ = OP_NOT; }
	| '!'					{ $$ = OP_LNOT; }
	;

postfix
	: primary
	| postfix '[' args ']'			{ $$ = node_index(p, @2, $1, $3); }
	| postfix '.' IDENT			{ $$ = node_member(p, @3, $1, $3, false); }
	| postfix ARROW IDENT			{ $$ = node_member(p, @3, $1, $3, true); }
	| postfix INC				{ $$ = node_unary(p, @2, OP_POSTINC, $1); }
	| postfix DEC				{ $$ = node_unary(p, @2, OP_POSTDEC, $1); }
	| postfix '(' args_opt ')'		{ $$ = node_call(p, @1, $1, $3); }
	| XLATE '<' type '>' '(' expr ')'	{ $$ = node_xlate(p, @1, $3, $6); }
	| OFFSETOF '(' type ',' path ')'	{ $$ = node_offsetof(p, @1, $3, $5); }
	;

primary
	: IDENT					{ $$ = node_ident(p, @1, $1, 0); }
	| BTICK					{ $$ = node_ident(p, @1, $1, '`'); }
	| AGG					{ $$ = node_agg(p, @1, $1); }
	| SCOPE ARROW IDENT			{ $$ = node_ident(p, @1, $3, $1 == STORE_THIS ? 't' : 's'); }
	| INT
	| STR
	| '(' expr ')'				{ $$ = $2; if ($$) $$->enclosed = true; }
	;

args_opt
	: %empty				{ $$ = NULL; }
	| args
	;

args
	: assign				{ $$ = nodes_add(p, NULL, $1); }
	| args ',' assign			{ $$ = nodes_add(p, $1, $3); }
	;

path
	: IDENT					{ $$ = nodes_add(p, NULL, node_ident(p, @1, $1, 0)); }
	| path '.' IDENT			{ $$ = nodes_add(p, $1, node_ident(p, @3, $3, 0)); }
	;

/* ---- types ---- */

/* The name of a typedef is an IDENT where only a type is valid, and a TNAME where the scanner had to decide. */
specs
	: keyword_specs
	| named
	;

keyword_specs
	: words
	| qualified
	;

words
	: WORD					{ $$ = specs_word(p, specs_new(p, @1), $1, @1); }
	| given					{ $$ = specs_named(p, specs_new(p, @1), $1, @1); }
	| qualifiers WORD			{ $$ = specs_word(p, $1, $2, @2); }
	| qualifiers given			{ $$ = specs_named(p, $1, $2, @2); }
	| words WORD				{ $$ = specs_word(p, $1, $2, @2); }
	| words given				{ $$ = specs_named(p, $1, $2, @2); }
	| words QUALIFIER			{ $$ = specs_word(p, $1, $2, @2); }
	;

qualifiers
	: QUALIFIER				{ $$ = specs_word(p, specs_new(p, @1), $1, @1); }
	| qualifiers QUALIFIER			{ $$ = specs_word(p, $1, $2, @2); }
	;

qualified
	: qualifiers IDENT			{ $$ = specs_named(p, $1, decl_lookup(p, $2, @2), @2); }
	| qualified QUALIFIER			{ $$ = specs_word(p, $1, $2, @2); }
	;

named
	: IDENT					{ $$ = specs_named(p, specs_new(p, @1), decl_lookup(p, $1, @1), @1); }
	| named QUALIFIER			{ $$ = specs_word(p, $1, $2, @2); }
	;

/* Whole types. "struct foo;" declares the tag. */
given
	: TNAME					{ $$ = decl_lookup(p, $1, @1); }
	| SOU IDENT				{ $$ = composite_ref(p, $1, $2, yychar == TOK_ITEM_SEMI, @2); }
	| sou_body '}'				{ $$ = composite_close(p, $1); }
	| sou_body error '}'			{ $$ = composite_close(p, $1); yyerrok; parse_resume(p); }
	| sou_body error BODY_CLOSE		{ $$ = composite_close(p, $1); }
	| ENUM IDENT				{ $$ = composite_ref(p, T_ENUM, $2, false, @2); }
	| enum_body '}'				{ $$ = enum_close(p, $1); }
	| enum_body ',' '}'			{ $$ = enum_close(p, $1); }
	;

sou_body
	: SOU '{'				{ $$ = composite_open(p, $1, NULL, @1); }
	| SOU IDENT '{'				{ $$ = composite_open(p, $1, $2, @2); }
	| sou_body specs ';'			{ $$ = $1; composite_member(p, $1, $2, NULL); }
	| sou_body specs fields ';'		{ $$ = $1; composite_members(p, $1, $2, $3); }
	| sou_body error ';'			{ $$ = $1; yyerrok; parse_resume(p); }
	;

fields
	: field					{ $$ = declrs_add(p, NULL, $1); }
	| fields ',' field			{ $$ = declrs_add(p, $1, $3); }
	;

field
	: declr
	| declr ':' cond			{ $$ = $1; $$->bits = $3; }
	| ':' cond				{ $$ = declr_new(p, NULL, @1); $$->bits = $2; }
	;

enum_head
	: ENUM '{'				{ $$ = enum_open(p, NULL, @1); }
	| ENUM IDENT '{'			{ $$ = enum_open(p, $2, @2); }
	;

enum_body
	: enum_head IDENT			{ $$ = enum_add(p, $1, $2, NULL, @2); }
	| enum_head IDENT '=' cond		{ $$ = enum_add(p, $1, $2, $4, @2); }
	| enum_body ',' IDENT			{ $$ = enum_add(p, $1, $3, NULL, @3); }
	| enum_body ',' IDENT '=' cond		{ $$ = enum_add(p, $1, $3, $5, @3); }
	| enum_head BTICK			{ $$ = $1; declr_scoped(p, $2, @2); }
	| enum_body ',' BTICK			{ $$ = $1; declr_scoped(p, $3, @3); }
	;

/* ---- declarators ---- */

star
	: '*'
	| star QUALIFIER
	;

declr
	: direct
	| star declr				{ $$ = declr_mod(p, $2, DM_PTR, @1); }
	;

direct
	: IDENT					{ $$ = declr_new(p, $1, @1); }
	| '(' declr ')'				{ $$ = $2; }
	| direct '[' size_opt ']'		{ $$ = declr_array(p, $1, $3, @2); }
	| direct '[' key_types ']'		{ $$ = declr_keys(p, $1, $3, @2); }
	| direct '[' ELLIPSIS ']'		{ $$ = $1; params_varargs(p, @3); }
	| direct '[' key_types ',' ELLIPSIS ']'	{ $$ = $1; params_varargs(p, @5); }
	| direct '(' params_opt ')'		{ $$ = declr_mod(p, $1, DM_FUNC, @2); }
	| BTICK					{ $$ = declr_scoped(p, $1, @1); }
	;

/* Declarators without a name. */
abstract
	: %empty				{ $$ = declr_new(p, NULL, @$); }
	| parts
	| star abstract				{ $$ = declr_mod(p, $2, DM_PTR, @1); }
	;

parts
	: '[' size_opt ']'			{ $$ = declr_array(p, declr_new(p, NULL, @1), $2, @1); }
	| parts '[' size_opt ']'		{ $$ = declr_array(p, $1, $3, @2); }
	| '(' star abstract ')' '(' params_opt ')'	{ $$ = declr_mod(p, declr_mod(p, $3, DM_PTR, @2), DM_FUNC,
									 @5); }
	| '(' star abstract ')' '[' size_opt ']'	{ $$ = declr_array(p, declr_mod(p, $3, DM_PTR, @2), $6, @5); }
	;

size_opt
	: %empty				{ $$ = NULL; }
	| cond
	;

key_types
	: key_specs param			{ $$ = params_add(p, NULL, $1, $2); }
	| key_types ',' key_specs param		{ $$ = params_add(p, $1, $3, $4); }
	;

key_specs
	: keyword_specs
	| storages keyword_specs		{ $$ = param_stored(p, $2, @1); }
	;

/* The parameters of a function are checked and then ignored. */
params_opt
	: %empty				{ $$ = NULL; }
	| ELLIPSIS				{ $$ = NULL; }
	| params				{ $$ = params_check(p, $1, PARAMS_FUNCTION, @1); }
	| params ',' ELLIPSIS			{ $$ = params_check(p, $1, PARAMS_FUNCTION, @1); }
	;

params
	: param_specs param			{ $$ = params_add(p, NULL, $1, $2); }
	| params ',' param_specs param		{ $$ = params_add(p, $1, $3, $4); }
	;

param_specs
	: specs
	| storages specs			{ $$ = param_stored(p, $2, @1); }
	;

/* Declarators with or without a name. */
param
	: %empty				{ $$ = declr_new(p, NULL, @$); }
	| whole
	| star param				{ $$ = declr_mod(p, $2, DM_PTR, @1); }
	;

whole
	: IDENT					{ $$ = declr_new(p, $1, @1); }
	| '[' size_opt ']'			{ $$ = declr_array(p, declr_new(p, NULL, @1), $2, @1); }
	| '(' star param ')'			{ $$ = declr_mod(p, $3, DM_PTR, @2); }
	| whole '[' size_opt ']'		{ $$ = declr_array(p, $1, $3, @2); }
	| whole '[' key_types ']'		{ $$ = declr_keys(p, $1, $3, @2); }
	| whole '(' params_opt ')'		{ $$ = declr_mod(p, $1, DM_FUNC, @2); }
	;

type
	: specs abstract			{ $$ = declr_type(p, $1, $2, NULL); }
	;

cast_type
	: keyword_specs abstract		{ $$ = declr_type(p, $1, $2, NULL); }
	;

/* ---- declarations ---- */

declaration
	: decl_head				{ declare_nothing(p, $1); }
	| variables
	;

decl_head
	: specs
	| storages specs			{ $$ = $2; $$->storage = $1; }
	;

storages
	: SCOPE
	| STORAGE
	| storages SCOPE			{ $$ = $1; storage_again(p, @2); }
	| storages STORAGE			{ $$ = $1; storage_again(p, @2); }
	;

variables
	: decl_head variable			{ $$ = $1; declare(p, $1, $2); }
	| variables ',' variable		{ $$ = $1; declare(p, $1, $3); }
	;

variable
	: declr
	| declr '=' assign			{ $$ = $1; declare_init(p, @2); }
	;

inline
	: INLINE decl_head declr '=' assign	{ declare_inline(p, $2, $3, $5); }
	| INLINE decl_head '=' assign		{ declare_nameless(p, $2); }
	;

translator
	: translator_head translations '}'	{ translator_close(p); }
	| translator_head translations error '}'	{ translator_close(p); yyerrok; parse_resume(p); }
	| translator_head translations error BODY_CLOSE	{ translator_close(p); }
	;

translator_head
	: TRANSLATOR type '<' specs declr '>' '{'	{ translator_open(p, $2, $4, $5, @2); }
	;

/* A provider declaration, which a script may share with a program: the types of arguments. */
provider
	: provider_head probe_decls '}'
	| provider_head probe_decls error '}'	{ yyerrok; parse_resume(p); }
	| provider_head probe_decls error BODY_CLOSE
	;

provider_head
	: PROVIDER IDENT '{'			{ provider_open(p, $2, @2); }
	| PROVIDER BTICK '{'			{ provider_open(p, $2, @2); }
	;

probe_decls
	: %empty
	| probe_decls PROBE probe_name '(' probe_params ')' ';'	{ provider_probe(p, $3, $5, NULL, @3); }
	| probe_decls PROBE probe_name '(' probe_params ')' ':' '(' probe_params ')' ';'
						{ provider_probe(p, $3, $5, $9, @3); }
	| probe_decls error ';'			{ yyerrok; parse_resume(p); }
	;

probe_name
	: IDENT
	| BTICK
	;

probe_params
	: %empty				{ $$ = types_new(p); }
	| params				{ $$ = $1; }
	| ELLIPSIS				{ $$ = types_new(p); params_varargs(p, @1); }
	| params ',' ELLIPSIS			{ $$ = $1; params_varargs(p, @3); }
	;

translations
	: %empty
	| translations IDENT '=' assign ';'	{ translator_member(p, $2, $4, @2); }
	| translations error ';'		{ yyerrok; parse_resume(p); }
	;

%%

/* Only bison's own errors get here: its stack is full. */
static void dparse_error(struct loc *loc, struct parser *p, const char *text)
{
	(void)text;
	parse_limit(p, *loc, "this is nested too deeply");
}

static bool has_symbol(const yysymbol_kind_t *sym, int n, yysymbol_kind_t what)
{
	for (int i = 0; i < n; i++)
		if (sym[i] == what)
			return true;
	return false;
}

static bool is_closer(yysymbol_kind_t sym)
{
	const char *name = yysymbol_name(sym);

	return sym == YYSYMBOL_EPRED || (strlen(name) == 3 && strchr(")]};:", name[1]));
}

/* Selects expected tokens for the message: all if they are few, else the most informative ones. */
static int name_expected(const yysymbol_kind_t *sym, int n, const char **name)
{
	enum { FEW = 5 };
	int named = 0;

	if (n > FEW && has_symbol(sym, n, YYSYMBOL_PSPEC)) {
		name[named++] = yysymbol_name(YYSYMBOL_PSPEC);
		return named;
	}
	for (int i = 0; i < n; i++)
		if (n <= FEW || is_closer(sym[i]))
			name[named++] = yysymbol_name(sym[i]);
	if (!named && has_symbol(sym, n, YYSYMBOL_INT))
		name[named++] = "an expression";
	return named;
}

static int yyreport_syntax_error(const yypcontext_t *ctx, struct parser *p)
{
	yysymbol_kind_t sym[YYNTOKENS];
	const char *name[YYNTOKENS];
	int n = yypcontext_expected_tokens(ctx, sym, YYNTOKENS);

	parse_syntax(p, *yypcontext_location(ctx), name, name_expected(sym, n, name));
	return 0;
}
