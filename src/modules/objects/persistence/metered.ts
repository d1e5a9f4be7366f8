/**
 * What a change of `bytes` sets beside it, in the same UPDATE. `byte_ms` grows by the bytes kept until now times the
 * milliseconds that they were kept, so that what is billed is the integral of the bytes over time. What it was at the
 * last whole hour stays in `hour_byte_ms`, because samples are of whole hours.
 *
 * `now` is the parameter with the time, such as `$3`. A clock that is behind another process's counts as stopped.
 */
export const metered = (now: string): string => `
  byte_ms = byte_ms + bytes * ${msBetween('as_of', `greatest(as_of, ${now}::timestamptz)`)},
  hour_byte_ms = CASE WHEN ${hourOf(now)} > hour_at
    THEN byte_ms + bytes * ${msBetween('as_of', hourOf(now))} ELSE hour_byte_ms END,
  hour_at = greatest(hour_at, ${hourOf(now)}),
  as_of = greatest(as_of, ${now}::timestamptz)`;

/** The values of a new bucket for the columns of {@link METERED_COLUMNS}. */
export const meteredSince = (now: string): string => `0, ${now}::timestamptz, 0, ${hourOf(now)}, 0, ${hourOf(now)}, 0`;

export const METERED_COLUMNS = 'byte_ms, as_of, hour_byte_ms, hour_at, sampled_byte_ms, sampled_at, sampled_bytes';

export const hourOf = (time: string): string => `date_trunc('hour', ${time}::timestamptz, 'UTC')`;

export const msBetween = (from: string, until: string): string =>
  `round(extract(epoch FROM ${until} - ${from}) * 1000)`;
