-- Gives the jobs of one queue fair turns between the subjects that add them. A job's round becomes its priority: each
-- subject has at most one new job in a round, so that a long backlog gives a subject no advantage over the others.
--
-- KEYS[1]  the waiting jobs by priority (BullMQ's sorted set)
-- KEYS[2]  the waiting jobs without a priority (BullMQ's list)
-- KEYS[3]  the running jobs (BullMQ's list)
-- KEYS[4]  the round of the last job that began
-- KEYS[5]  the last round in which each subject has a job
-- ARGV[1]  the subject
-- ARGV[2]  1 takes a turn, 0 only reads, -1 returns one
-- ARGV[3]  the highest round: beyond it, all rounds are renumbered from the current one
--
-- Returns { round, jobs before it, waiting jobs of the subject, waiting jobs, running jobs }
local ROUND = 0x100000000
local mode = tonumber(ARGV[2])

-- Every job in a round before that of the first waiting job has begun, whether or not its worker recorded that.
local now = tonumber(redis.call('GET', KEYS[4]) or 0)
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if first[2] then now = math.max(now, math.floor(tonumber(first[2]) / ROUND) - 1) end
local last = tonumber(redis.call('ZSCORE', KEYS[5], ARGV[1]) or 0)
local own = math.max(0, last - now)

if mode == -1 then
  if own > 0 then redis.call('ZADD', KEYS[5], last - 1, ARGV[1]) end
  return { 0, 0, 0, 0, 0 }
end

local function renumberFromZero()
  local jobs = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
  for i = 1, #jobs, 2 do redis.call('ZADD', KEYS[1], tonumber(jobs[i + 1]) - now * ROUND, jobs[i]) end
  local subjects = redis.call('ZRANGE', KEYS[5], 0, -1, 'WITHSCORES')
  for i = 1, #subjects, 2 do redis.call('ZADD', KEYS[5], tonumber(subjects[i + 1]) - now, subjects[i]) end
  now = 0
end

local round = now + own + 1
if mode == 1 then
  if round > tonumber(ARGV[3]) then
    renumberFromZero()
    -- Only a subject with a backlog as long as all rounds needs this limit.
    round = math.min(own + 1, tonumber(ARGV[3]))
  end
  redis.call('SET', KEYS[4], now)
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', now)
  redis.call('ZADD', KEYS[5], round, ARGV[1])
end

local unranked = redis.call('LLEN', KEYS[2])
local before = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. string.format('%.0f', (round + 1) * ROUND))
return { round, unranked + before, own, unranked + redis.call('ZCARD', KEYS[1]), redis.call('LLEN', KEYS[3]) }
