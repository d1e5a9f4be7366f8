-- Gives one call or run back to the daily counters it was taken from. A counter of a day that is over stays gone.
for i = 1, #KEYS do
  if tonumber(redis.call('GET', KEYS[i]) or 0) > 0 then redis.call('DECR', KEYS[i]) end
end
return 0
