-- SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
-- chain.c in Haskell. Its calls are not on the stack of the processor.
module Main (main, chainleaf, chaininner, chainmiddle, chainouter) where
import Data.IORef

{-# NOINLINE chainleaf #-}
chainleaf :: IORef Int -> IO ()
chainleaf counted = do
  n <- readIORef counted
  let next = n + 1
  next `seq` writeIORef counted next
  if n < 0 then return () else chainleaf counted

{-# NOINLINE chaininner #-}
chaininner :: IORef Int -> Int -> IO ()
chaininner counted times = do
  if times > 1 then chaininner counted (times - 1) else chainleaf counted
  modifyIORef counted (+ 1)

{-# NOINLINE chainmiddle #-}
chainmiddle :: IORef Int -> IO ()
chainmiddle counted = chaininner counted 3 >> modifyIORef counted (+ 1)

{-# NOINLINE chainouter #-}
chainouter :: IORef Int -> IO ()
chainouter counted = chainmiddle counted >> modifyIORef counted (+ 1)

main :: IO ()
main = newIORef 0 >>= \counted -> chainouter counted >> readIORef counted >>= print
