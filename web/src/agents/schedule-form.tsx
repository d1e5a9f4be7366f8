import type { NewSchedule, Schedule, ScheduleTimes } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useId, useState } from 'react';
import { agentsQuery } from '../data/agents';
import { rowsOf } from '../data/paged';
import { previewQuery } from '../data/schedules';
import { Area } from '../ui/area';
import { Button } from '../ui/button';
import { Choice, Field, Form } from '../ui/form';
import { inText } from './json-text';
import { inZone, isZone, OVERLAPS, ownZone, timesInWords, ZONES } from './schedule-words';

type Kind = 'cron' | 'every' | 'at';

interface ScheduleFormProps {
  readonly org: string;
  /** What is changed; absent for a new one. */
  readonly schedule?: Schedule;
  readonly onCancel: () => void;
  readonly onSubmit: (schedule: NewSchedule) => Promise<void>;
}

const kindOf = (schedule: Schedule | undefined): Kind =>
  schedule?.every_seconds != null ? 'every' : schedule?.at != null ? 'at' : 'cron';

/** When it fires, what it starts, and the next times as the service computes them. */
export function ScheduleForm({ org, schedule, onCancel, onSubmit }: ScheduleFormProps): ReactNode {
  const agents = rowsOf(useInfiniteQuery(agentsQuery(org)).data);
  const [kind, setKind] = useState<Kind>(() => kindOf(schedule));
  const [cron, setCron] = useState(schedule?.cron ?? '0 9 * * 1-5');
  const [minutes, setMinutes] = useState(String((schedule?.every_seconds ?? 3_600) / 60));
  const [at, setAt] = useState(() => localOf(schedule?.at));
  const [zone, setZone] = useState(schedule?.time_zone ?? ownZone());
  const times: ScheduleTimes =
    kind === 'cron'
      ? { cron }
      : kind === 'every'
        ? { every_seconds: Math.round(Number(minutes) * 60) }
        : { at: at === '' ? '' : new Date(at).toISOString() };
  return (
    <Form
      label="Schedule"
      submit={schedule === undefined ? 'Create the schedule' : 'Save the schedule'}
      aside={<Button onClick={onCancel}>Cancel</Button>}
      onSubmit={async (values) => {
        const { agent_id: agent = '', name = '', input = '', cost = '' } = values;
        await onSubmit({
          ...(schedule === undefined ? { agent_id: agent } : ({} as { agent_id: string })),
          name,
          // An object stays one, unless its text was changed.
          input: schedule !== undefined && input === inText(schedule.input) ? (schedule.input as string) : input,
          ...times,
          time_zone: zone,
          overlap: (values['overlap'] ?? 'skip') as Schedule['overlap'],
          catch_up: (values['catch_up'] ?? 'latest') as Schedule['catch_up'],
          ...budgetIn(cost, schedule),
        });
      }}
    >
      <Field
        label="Name"
        name="name"
        required
        autoFocus
        maxLength={100}
        defaultValue={schedule?.name ?? ''}
        placeholder="Morning report"
      />
      {schedule === undefined && (
        <Choice label="Agent" name="agent_id" required defaultValue="">
          <option value="" disabled>
            Choose an agent
          </option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      )}
      <Area
        label="Input"
        name="input"
        required
        rows={3}
        defaultValue={schedule === undefined ? '' : inText(schedule.input)}
        placeholder="What each run should do"
      />
      <Choice
        label="When"
        name="kind"
        value={kind}
        onChange={({ target }) => {
          setKind(target.value as Kind);
        }}
      >
        <option value="cron">At times of a calendar (cron)</option>
        <option value="every">In equal steps</option>
        <option value="at">Once</option>
      </Choice>
      {kind === 'cron' && (
        <Field
          label="Cron"
          name="cron"
          required
          className="font-mono"
          value={cron}
          onChange={({ target }) => {
            setCron(target.value);
          }}
          hint="Minute, hour, day of month, month and day of week."
        />
      )}
      {kind === 'every' && (
        <Field
          label="Minutes between two runs"
          name="every_seconds"
          type="number"
          min={1}
          required
          value={minutes}
          onChange={({ target }) => {
            setMinutes(target.value);
          }}
        />
      )}
      {kind === 'at' && (
        <Field
          label="Time, as your clock has it"
          name="at"
          type="datetime-local"
          required
          value={at}
          onChange={({ target }) => {
            setAt(target.value);
          }}
        />
      )}
      {kind !== 'at' && <ZoneField zone={zone} onChange={setZone} />}
      <Preview org={org} times={times} zone={zone} />
      <details className="border-line rounded-md border p-3">
        <summary className="font-medium">Overlap, missed times and cost</summary>
        <div className="mt-3 grid gap-4">
          <Choice label="If the last run is still active" name="overlap" defaultValue={schedule?.overlap ?? 'skip'}>
            {OVERLAPS.map(([overlap, word]) => (
              <option key={overlap} value={overlap}>
                {word}
              </option>
            ))}
          </Choice>
          <Choice label="If times were missed" name="catch_up" defaultValue={schedule?.catch_up ?? 'latest'}>
            <option value="latest">Start once, for the latest</option>
            <option value="all">Start for each of them</option>
          </Choice>
          <Field
            label="Highest cost of a run in USD"
            name="cost"
            inputMode="decimal"
            placeholder="The budget of the version"
            defaultValue={schedule?.budget?.cost ?? ''}
          />
        </div>
      </details>
    </Form>
  );
}

/** The other limits of a schedule stay as they are. */
function budgetIn(cost: string, schedule: Schedule | undefined): Pick<NewSchedule, 'budget'> {
  const { cost: before, ...others } = schedule?.budget ?? {};
  if (cost !== '') return { budget: { ...others, cost } };
  if (before === undefined) return {};
  return { budget: Object.keys(others).length === 0 ? null : others };
}

/** `2026-11-23T15:00`, as the field for times has it. */
function localOf(at: string | null | undefined): string {
  if (at == null) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function ZoneField({
  zone,
  onChange,
}: {
  readonly zone: string;
  readonly onChange: (zone: string) => void;
}): ReactNode {
  const id = useId();
  return (
    <>
      <datalist id={id}>
        {ZONES.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <Field
        label="Time zone"
        name="time_zone"
        required
        list={id}
        value={zone}
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
    </>
  );
}

interface PreviewProps {
  readonly org: string;
  readonly times: ScheduleTimes;
  readonly zone: string;
}

/** It follows what is typed. What cannot be read yet is no error: the form says so when it is sent. */
function Preview({ org, times, zone }: PreviewProps): ReactNode {
  const asked = useDeferredValue(JSON.stringify({ ...times, time_zone: zone }));
  const isKnown = isZone(zone);
  const preview = useQuery({
    ...previewQuery(org, JSON.parse(asked) as ScheduleTimes & { readonly time_zone: string }),
    enabled: isKnown && times.at !== '' && times.every_seconds !== 0,
  });
  const found = isKnown ? (preview.data?.times ?? []) : [];
  return (
    <div className="bg-sunken rounded-md p-3" aria-live="polite">
      <p className="font-medium">{timesInWords({ ...times, ...(times.at === '' && { at: null }) })}</p>
      {preview.error !== null && preview.data === undefined && (
        <p className="text-bad text-sm">{preview.error.message.split('\n', 1)[0]}</p>
      )}
      {!isKnown && <p className="text-bad text-sm">This time zone is not known.</p>}
      <ol className="text-muted mt-1 text-sm" aria-label="Next times">
        {found.map((at) => (
          <li key={at}>
            <time dateTime={at}>{inZone(at, zone)}</time>
          </li>
        ))}
      </ol>
    </div>
  );
}
