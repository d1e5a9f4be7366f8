-- Takes one of so many places that a caller may hold at once. A place that is never given back ends by itself.
--
-- KEYS[1]  the places that are held, by when they end
-- ARGV[1]  the name of the place
-- ARGV[2]  how many there are
-- ARGV[3]  milliseconds until it ends by itself
--
-- Returns 1 when the place is taken, 0 when there is none.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
-- Places of one caller may last differently long: the key outlives the longest.
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 1
