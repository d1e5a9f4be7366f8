-- Notes the round of a job that began, which never goes back. A job that was given its round before all rounds were
-- counted from zero again is far ahead of the others, and says nothing.
--
-- KEYS[1]  the round of the job that began last
-- ARGV[1]  the round of this job
-- ARGV[2]  how far it can be ahead
local now = tonumber(redis.call('GET', KEYS[1]) or 0)
local round = tonumber(ARGV[1])
if round > now and round - now <= tonumber(ARGV[2]) then redis.call('SET', KEYS[1], round) end
return 0
