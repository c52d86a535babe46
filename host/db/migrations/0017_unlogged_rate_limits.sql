-- Counters that nobody misses after a crash: a call does not wait for the disk because it was counted.
ALTER TABLE "rate_limits" SET UNLOGGED;
