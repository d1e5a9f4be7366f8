-- Corrects what was taken from a burst limit, when it is known what it really was.
-- KEYS[1]: when the burst is empty again, in microseconds.
-- ARGV[1]: what to add, in microseconds. It may be negative.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local arrival = tonumber(redis.call('GET', KEYS[1]) or 0)
if arrival < now then arrival = now end
local after = arrival + tonumber(ARGV[1])
if after <= now then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
end
return 1
