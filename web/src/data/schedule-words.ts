const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const SHORT = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NUMBER = /^\d{1,2}$/;
const STEP = /^\*\/(\d{1,2})$/;

/** A schedule of five fields in words, where there are short ones; undefined for all others. */
export function scheduleInWords(schedule: string): string | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = '', ...more] = schedule.trim().split(/\s+/);
  if (weekday === '' || more.length > 0 || month !== '*') return undefined;
  const everyDay = day === '*' && weekday === '*';
  if (hour === '*' && everyDay) {
    if (minute === '*' || minute === '*/1') return 'Every minute';
    const step = stepOf(minute, 60);
    if (step !== undefined) return `Every ${step} minutes`;
    return NUMBER.test(minute) ? `Every hour at ${two(minute)} past` : undefined;
  }
  const hours = stepOf(hour, 24);
  if (hours !== undefined && minute === '0' && everyDay) return `Every ${hours} hours`;
  if (!NUMBER.test(minute) || !NUMBER.test(hour)) return undefined;
  const time = `at ${two(hour)}:${two(minute)}`;
  if (everyDay) return `Every day ${time}`;
  if (day === '*') {
    if (/^(1-5|mon-fri)$/i.test(weekday)) return `Monday to Friday ${time}`;
    const at = NUMBER.test(weekday) ? Number(weekday) % 7 : SHORT.indexOf(weekday.toLowerCase());
    return at < 0 ? undefined : `Every ${DAYS[at]!} ${time}`;
  }
  return weekday === '*' && NUMBER.test(day) ? `On day ${day} of each month ${time}` : undefined;
}

/** A step that fits into its whole, so that what is between two runs is always as long. */
function stepOf(field: string, whole: number): number | undefined {
  const step = Number(STEP.exec(field)?.[1] ?? 0);
  return step > 1 && whole % step === 0 ? step : undefined;
}

const two = (number: string): string => number.padStart(2, '0');
