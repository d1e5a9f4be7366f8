-- Takes calls, or runs, each from a burst limit (GCRA) and from any number of daily counters: from all of them or from
-- none. A refusal by one never spends the others. Many callers' requests are handled in one round trip, in their order.
--
-- A request is KEYS: when its burst is empty again, in microseconds (the "theoretical arrival time"), and then its
-- counters of this UTC day, and then its stamps: numbers that are only read along; and in ARGV[1], which holds the
-- numbers of all requests with spaces between them:
--   how many counters it has
--   how many stamps it has
--   microseconds that one call adds to the burst; 0: no burst limit
--   microseconds of calls that the burst holds
--   when the counters expire, in unix seconds
--   what the call costs; 0 only looks
--   the limit of each counter; -1: none
--
-- Returns for each request
--   { verdict, burst wait in ms, burst calls left, used of counter 1, used of counter 2, ..., stamp 1, stamp 2, ... }
-- A stamp that is not there is -1. verdict: 0 granted, 1 refused by the burst, 1 + n refused by counter n.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local numbers = {}
for number in string.gmatch(ARGV[1], '%S+') do numbers[#numbers + 1] = tonumber(number) end

local function take(key, at, counters, stamps)
  local emission, tolerance = numbers[at + 2], numbers[at + 3]
  local expire_at, cost = numbers[at + 4], numbers[at + 5]
  local answer = { 0, 0, 0 }

  for i = 1, counters do
    local used = tonumber(redis.call('GET', KEYS[key + i]) or 0)
    local limit = numbers[at + 5 + i]
    answer[3 + i] = used
    if answer[1] == 0 and limit >= 0 and used + cost > limit then answer[1] = 1 + i end
  end

  if emission > 0 then
    local arrival = tonumber(redis.call('GET', KEYS[key]) or 0)
    if arrival < now then arrival = now end
    local after = arrival + emission * cost
    local early_us = after - tolerance - now
    if early_us > 0 and answer[1] == 0 and cost > 0 then
      answer[1] = 1
      answer[2] = math.ceil(early_us / 1000)
    end
    if answer[1] == 0 and cost > 0 then
      redis.call('SET', KEYS[key], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
      arrival = after
    end
    answer[3] = math.max(0, math.floor((tolerance - (arrival - now)) / emission))
  end

  if answer[1] == 0 and cost > 0 then
    for i = 1, counters do
      answer[3 + i] = redis.call('INCRBY', KEYS[key + i], cost)
      if answer[3 + i] == cost then redis.call('EXPIREAT', KEYS[key + i], expire_at) end
    end
  end
  for i = 1, stamps do
    answer[3 + counters + i] = tonumber(redis.call('GET', KEYS[key + counters + i]) or -1)
  end
  return answer
end

local answers = {}
local key, at = 1, 1
while at <= #numbers do
  local counters, stamps = numbers[at], numbers[at + 1]
  answers[#answers + 1] = take(key, at, counters, stamps)
  key = key + 1 + counters + stamps
  at = at + 6 + counters
end
return answers
