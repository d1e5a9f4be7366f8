-- Takes one call, or one run, from a burst limit (GCRA) and from any number of daily counters: from all or from none.
-- A refusal by one never spends the others, and all of it is one round trip.
--
-- KEYS[1]    when the burst is empty again, in microseconds (its "theoretical arrival time")
-- KEYS[2..]  counters of this UTC day; all keys share a hash tag
-- ARGV[1]    microseconds that one call adds to the burst; 0: no burst limit
-- ARGV[2]    microseconds of calls that the burst holds
-- ARGV[3]    when the counters expire, in unix seconds
-- ARGV[4]    what this call costs; 0 only looks
-- ARGV[5..]  the limit of each counter; -1: none
--
-- Returns { verdict, burst wait in ms, burst calls left, used of counter 1, used of counter 2, ... }
-- verdict: 0 granted, 1 refused by the burst, 1 + n refused by counter n.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local emission, tolerance = tonumber(ARGV[1]), tonumber(ARGV[2])
local expire_at, cost = tonumber(ARGV[3]), tonumber(ARGV[4])

local used, verdict = {}, 0
for i = 2, #KEYS do
  used[i - 1] = tonumber(redis.call('GET', KEYS[i]) or 0)
  local limit = tonumber(ARGV[3 + i])
  if verdict == 0 and limit >= 0 and used[i - 1] + cost > limit then verdict = i end
end

local wait_ms, burst_left = 0, 0
if emission > 0 then
  local arrival = tonumber(redis.call('GET', KEYS[1]) or 0)
  if arrival < now then arrival = now end
  local after = arrival + emission * cost
  local early_us = after - tolerance - now
  if early_us > 0 and verdict == 0 and cost > 0 then
    verdict = 1
    wait_ms = math.ceil(early_us / 1000)
  end
  if verdict == 0 and cost > 0 then
    redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
    arrival = after
  end
  burst_left = math.max(0, math.floor((tolerance - (arrival - now)) / emission))
end

if verdict == 0 and cost > 0 then
  for i = 2, #KEYS do
    used[i - 1] = redis.call('INCRBY', KEYS[i], cost)
    if used[i - 1] == cost then redis.call('EXPIREAT', KEYS[i], expire_at) end
  end
end

return { verdict, wait_ms, burst_left, unpack(used) }
