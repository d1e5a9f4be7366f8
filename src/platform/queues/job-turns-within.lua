-- Lets the members of one subject take turns in the places that its jobs have in the queue. A job that was added has
-- the last place of its subject. It gets the place that its member's turn has, and those behind it move one place back,
-- so that the subject as a whole has no other places than before.
--
-- KEYS[1]  the waiting jobs by priority (BullMQ's sorted set)
-- KEYS[2]  the waiting jobs without a priority (BullMQ's list)
-- KEYS[3]  the jobs of the subject, by the turn of their member
-- KEYS[4]  the last turn in which each member has a job
-- ARGV[1]  the member
-- ARGV[2]  'add' and 'drop' for a job that was added or removed, 'look' for one that may be added
-- ARGV[3]  the job
-- ARGV[4]  what precedes the ids of jobs in the keys of BullMQ
-- ARGV[5]  how long the keys are kept without a further job, in milliseconds
--
-- Returns { round, jobs before it } of a job that may be added, and zeros when it would have the subject's last place.
local ROUND = 0x100000000
-- Only so that scores stay exact: a subject with jobs waiting for so many turns on end falls back to their order.
local LAST_TURN = 0x100000
local member, mode, job = ARGV[1], ARGV[2], ARGV[3]
local turnOf = function(score) return math.floor(tonumber(score) / ROUND) end
local isDropped = mode == 'drop' and redis.call('ZREM', KEYS[3], job) == 1

-- Jobs begin in the order of their turns, so the first are those that have begun.
local first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
while first[1] and not redis.call('ZSCORE', KEYS[1], first[1]) do
  redis.call('ZREM', KEYS[3], first[1])
  first = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
end
local now = first[2] and turnOf(first[2]) - 1 or 0
-- Nobody waits, so nobody is ahead.
if not first[1] then redis.call('DEL', KEYS[4]) end
local last = tonumber(redis.call('ZSCORE', KEYS[4], member) or 0)

if mode == 'drop' then
  if isDropped and last > now then redis.call('ZADD', KEYS[4], last - 1, member) end
  return { 0, 0 }
end

local turn = math.min(math.max(now, last) + 1, LAST_TURN)

if mode == 'look' then
  for _, behind in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], string.format('%.0f', (turn + 1) * ROUND), '+inf')) do
    local score = redis.call('ZSCORE', KEYS[1], behind)
    if score then
      local before = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. score)
      return { turnOf(score), redis.call('LLEN', KEYS[2]) + before }
    end
  end
  return { 0, 0 }
end

local place = redis.call('ZSCORE', KEYS[1], job)
-- It has begun already, or was removed.
if not place then return { 0, 0 } end
-- Of jobs with the same turn the earlier goes first. BullMQ counts them in the lower half of the score.
redis.call('ZADD', KEYS[3], turn * ROUND + tonumber(place) % ROUND, job)
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', now)
redis.call('ZADD', KEYS[4], turn, member)
redis.call('PEXPIRE', KEYS[3], ARGV[5])
redis.call('PEXPIRE', KEYS[4], ARGV[5])

local from = redis.call('ZRANK', KEYS[3], job)
-- Jobs before it have later places only when they were added later, but told of earlier.
while from > 0 do
  local before = redis.call('ZRANGE', KEYS[3], from - 1, from - 1)[1]
  local score = redis.call('ZSCORE', KEYS[1], before)
  if score and tonumber(score) < tonumber(place) then break end
  from = from - 1
end

local jobs, places = {}, {}
for _, id in ipairs(redis.call('ZRANGE', KEYS[3], from, -1)) do
  local score = redis.call('ZSCORE', KEYS[1], id)
  if score then
    jobs[#jobs + 1] = id
    places[#places + 1] = tonumber(score)
  else
    redis.call('ZREM', KEYS[3], id)
  end
end
table.sort(places)
for i, id in ipairs(jobs) do
  redis.call('ZADD', KEYS[1], places[i], id)
  redis.call('HSET', ARGV[4] .. id, 'priority', math.floor(places[i] / ROUND))
end
return { 0, 0 }
