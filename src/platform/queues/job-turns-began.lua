-- Records the round of a job that began; the recorded round never decreases. A job that got its round before all rounds
-- restarted from zero is far ahead of the others and is ignored.
--
-- KEYS[1]  the round of the last job that began
-- ARGV[1]  the round of this job
-- ARGV[2]  how far it can be ahead
local now = tonumber(redis.call('GET', KEYS[1]) or 0)
local round = tonumber(ARGV[1])
if round > now and round - now <= tonumber(ARGV[2]) then redis.call('SET', KEYS[1], round) end
return 0
