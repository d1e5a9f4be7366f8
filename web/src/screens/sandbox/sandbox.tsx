import type { Language, PackageSet, Run, SandboxLimits } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useState } from 'react';
import { useSearchParams } from 'wouter';
import { api, ignore, queries } from '../../api';
import { executionQuery, executionsQuery, packageSetsQuery, sandboxLimitsQuery } from '../../data/executions';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { Check } from '../../sandbox/check';
import { type Draft, keepProgram, programOf, useDraft } from '../../sandbox/drafts';
import { LANGUAGE_NAMES } from '../../sandbox/language-names';
import { fragmentOf, LANGUAGES } from '../../sandbox/link';
import { ProgramEditor } from '../../sandbox/program-editor';
import { RunState } from '../../sandbox/run-state';
import { SandboxFrame } from '../../sandbox/sandbox-frame';
import { Button } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Choice, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Section } from '../../ui/page';
import { Skeleton } from '../../ui/skeleton';
import { Table } from '../../ui/table';
import { durationOf, When } from '../../ui/time';

const Result = lazy(async () => ({ default: (await import('../../sandbox/result')).Result }));

interface Params {
  readonly org: string;
}

/** What the largest plan allows; the service says where a plan allows less. */
const TIMEOUTS = [1_000, 5_000, 30_000, 60_000, 120_000, 300_000];
const MEMORIES = [64, 128, 256, 512, 1_024, 2_048];

export function prepare({ org }: Params): void {
  queries.infiniteQuery(executionsQuery(org)).catch(ignore);
  queries.query(sandboxLimitsQuery(org)).catch(ignore);
  queries.query(packageSetsQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const [search, setSearch] = useSearchParams();
  const [draft, change] = useDraft(org);
  const [link, setLink] = useState<{ readonly address: string | undefined }>();
  const [replacements, setReplacements] = useState(0);
  const mayRun = useMay(org, 'sandbox:execute');
  const id = search.get('run');

  const show = (run: string): void => {
    setSearch({ run });
  };
  const start = async (): Promise<void> => {
    const sets = draft.packages === '' ? [] : await queries.query(packageSetsQuery(org));
    const run = await api.sandbox.start(requestOf(draft, sets), { organization: org });
    const { language, codes, stdin } = draft;
    keepProgram(org, { id: run.id, language, code: codes[language], stdin });
    queries.setQueryData(executionQuery(org, run.id).queryKey, run);
    void queries.invalidateQueries({ queryKey: executionsQuery(org).queryKey });
    show(run.id);
  };
  const share = async (): Promise<void> => {
    const { language, codes } = draft;
    const fragment = await fragmentOf({ language, code: codes[language] });
    setLink({ address: fragment === undefined ? undefined : `${location.origin}/${fragment}` });
  };
  const edit = (run: Run): (() => void) | undefined => {
    const program = programOf(org, run.id);
    if (program === undefined) return undefined;
    const { language, code, stdin } = program;
    if (draft.language === language && draft.codes[language] === code && draft.stdin === stdin) return undefined;
    return () => {
      change({ language, stdin, codes: { ...draft.codes, [language]: code } });
      setReplacements((count) => count + 1);
    };
  };
  return (
    <SandboxFrame org={org} open="sandbox">
      <div className="grid items-start gap-6 lg:grid-cols-[3fr_2fr]">
        <div className="min-w-0" onKeyDown={submitByKey}>
          <Form
            label="Program"
            submit="Run"
            aside={
              <>
                <span className="text-muted mr-auto hidden text-sm sm:inline">
                  <kbd className="kbd">Ctrl</kbd> <kbd className="kbd">Enter</kbd> runs it
                </span>
                <Button onClick={() => void share()}>Share</Button>
              </>
            }
            onSubmit={async () => {
              if (!mayRun) throw new Error('Your role does not allow running code.');
              await start();
            }}
          >
            <Program org={org} draft={draft} replacements={replacements} onChange={change} />
          </Form>
        </div>
        <section aria-label="Result" className="card grid min-w-0 content-start gap-3 p-4 lg:mt-6 lg:min-h-112">
          {id === null ? (
            <p className="text-muted">What the program prints appears here.</p>
          ) : (
            <Shown key={id} org={org} id={id} onEdit={edit} />
          )}
        </section>
      </div>
      <div className="mt-8">
        <History org={org} onOpen={show} />
      </div>
      <Dialog
        open={link !== undefined}
        title="Share this program"
        onClose={() => {
          setLink(undefined);
        }}
        wide
      >
        {link?.address === undefined ? (
          <p>The program is too long for a link.</p>
        ) : (
          <>
            <p className="text-muted mb-3">
              The link holds the program itself, and no server keeps it. It opens without an account, where it can be
              read and run.
            </p>
            <CopyLine text={link.address} label="The link to the program" />
          </>
        )}
      </Dialog>
    </SandboxFrame>
  );
}

/** Empty fields are left to the defaults of the service. */
function requestOf(draft: Draft, sets: readonly PackageSet[]): Parameters<typeof api.sandbox.start>[0] {
  const { language, codes, stdin, timeout, memory, packages, showsResults, keepsFiles } = draft;
  // A set is of one language, and a choice for it stays while another language is looked at.
  const set = sets.find((each) => each.name === packages && each.languages.includes(language))?.name;
  return {
    language,
    code: codes[language],
    ...(stdin === '' ? {} : { stdin }),
    ...(timeout === '' ? {} : { timeout_ms: Number(timeout) }),
    ...(memory === '' ? {} : { memory_mib: Number(memory) }),
    ...(set === undefined ? {} : { package_set: set }),
    ...(showsResults && language === 'python' ? { rich_results: true } : {}),
    ...(keepsFiles ? { artifacts: true } : {}),
  };
}

function submitByKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.querySelector('form')!.requestSubmit();
}

interface ProgramProps {
  readonly org: string;
  readonly draft: Draft;
  readonly replacements: number;
  readonly onChange: (change: Partial<Draft>) => void;
}

function Program({ org, draft, replacements, onChange }: ProgramProps): ReactNode {
  const { language, codes, stdin, timeout, memory } = draft;
  const [isOpen, setIsOpen] = useState(false);
  const limits = useQuery(sandboxLimitsQuery(org)).data;
  return (
    <>
      <div className="grid grid-cols-2 gap-3 *:first:col-span-2 sm:grid-cols-3 sm:*:first:col-span-1">
        <Choice
          label="Language"
          name="language"
          value={language}
          onChange={(event) => {
            onChange({ language: event.target.value as Language });
          }}
        >
          {LANGUAGES.map((each) => (
            <option key={each} value={each}>
              {LANGUAGE_NAMES[each]}
            </option>
          ))}
        </Choice>
        <Choice
          label="Time limit"
          name="timeout_ms"
          value={timeout}
          onChange={(event) => {
            onChange({ timeout: event.target.value });
          }}
        >
          <option value="">Default</option>
          {TIMEOUTS.map((ms) => (
            <option key={ms} value={ms}>
              {ms / 1_000} s{beyond(ms, limits?.timeout_ms.max)}
            </option>
          ))}
        </Choice>
        <Choice
          label="Memory"
          name="memory_mib"
          value={memory}
          onChange={(event) => {
            onChange({ memory: event.target.value });
          }}
        >
          <option value="">Default</option>
          {MEMORIES.map((mib) => (
            <option key={mib} value={mib}>
              {mib} MiB{beyond(mib, limits?.memory_mib.max)}
            </option>
          ))}
        </Choice>
      </div>
      {limits !== undefined && <Limits limits={limits} />}
      <Options org={org} draft={draft} onChange={onChange} />
      <ProgramEditor
        key={language}
        code={codes[language]}
        language={language}
        label={`${LANGUAGE_NAMES[language]} program`}
        replacements={replacements}
        onChange={(code) => {
          onChange({ codes: { ...codes, [language]: code } });
        }}
      />
      <details
        open={isOpen || stdin !== ''}
        onToggle={(event) => {
          setIsOpen(event.currentTarget.open);
        }}
      >
        <summary className="text-muted hover:text-ink min-h-6 w-fit">Standard input</summary>
        <textarea
          name="stdin"
          aria-label="Standard input"
          rows={4}
          spellCheck={false}
          className="input mt-2 font-mono text-sm"
          value={stdin}
          onChange={(event) => {
            onChange({ stdin: event.target.value });
          }}
        />
      </details>
    </>
  );
}

type OptionsProps = Omit<ProgramProps, 'replacements'>;

/** Packages, and what is shown and kept beside the output. */
function Options({ org, draft: { language, packages, showsResults, keepsFiles }, onChange }: OptionsProps): ReactNode {
  const sets = useQuery(packageSetsQuery(org)).data?.filter(({ languages }) => languages.includes(language)) ?? [];
  const chosen = sets.find(({ name }) => name === packages);
  return (
    <>
      <div className="flex flex-wrap items-end gap-x-6 gap-y-3">
        <Choice
          label="Packages"
          name="package_set"
          value={chosen?.name ?? ''}
          onChange={(event) => {
            onChange({ packages: event.target.value });
          }}
        >
          <option value="">Only the standard library</option>
          {sets.map(({ name, state }) => (
            <option key={name} value={name}>
              {name}
              {state === 'unavailable' ? ', unavailable' : ''}
            </option>
          ))}
        </Choice>
        {language === 'python' && (
          <Check
            label="Show results"
            isChecked={showsResults}
            onChange={(isChecked) => {
              onChange({ showsResults: isChecked });
            }}
          />
        )}
        <Check
          label="Keep files"
          isChecked={keepsFiles}
          onChange={(isChecked) => {
            onChange({ keepsFiles: isChecked });
          }}
        />
      </div>
      {chosen !== undefined && (
        <p className="text-muted text-sm">
          {chosen.packages.map(({ name, version }) => `${name} ${version}`).join(', ')}. {chosen.reason}
        </p>
      )}
      {keepsFiles && (
        <p className="text-muted text-sm">
          Files that the program leaves in <code className="font-mono">/artifacts</code> are kept for a day.
        </p>
      )}
    </>
  );
}

/** A larger plan is a choice, too: the service says which one. */
const beyond = (value: number, max: number | undefined): string =>
  max === undefined || value <= max ? '' : ', in a larger plan';

const COUNT = new Intl.NumberFormat('en');

function Limits({ limits }: { readonly limits: SandboxLimits }): ReactNode {
  const { timeout_ms: time, memory_mib: memory, concurrency, calls } = limits;
  return (
    <p className="text-muted text-sm">
      Your plan allows {time.max / 1_000} s and {COUNT.format(memory.max)} MiB a run, and {concurrency} runs at once. By
      default a run has {time.default / 1_000} s and {COUNT.format(memory.default)} MiB.
      {calls.remaining !== null && <> {COUNT.format(calls.remaining)} calls by key are left today.</>}
    </p>
  );
}

interface ShownProps {
  readonly org: string;
  readonly id: string;
  readonly onEdit: (run: Run) => (() => void) | undefined;
}

function Shown({ org, id, onEdit }: ShownProps): ReactNode {
  const run = useQuery(executionQuery(org, id));
  return (
    <Loaded query={run}>
      {(found) => (
        <Suspense fallback={<Skeleton lines={4} />}>
          <Result org={org} run={found} onEdit={onEdit(found)} />
        </Suspense>
      )}
    </Loaded>
  );
}

interface HistoryProps {
  readonly org: string;
  readonly onOpen: (run: string) => void;
}

function History({ org, onOpen }: HistoryProps): ReactNode {
  const runs = useInfiniteQuery(executionsQuery(org));
  return (
    <Section title="History" hint="The service keeps the output of a run, and this browser its program.">
      <Loaded query={runs}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <p className="text-muted">No runs yet.</p>
          ) : (
            <Table
              label="Runs"
              rows={rowsOf(data)}
              keyOf={({ id }) => id}
              more={<More query={runs} />}
              columns={[
                { title: 'State', cell: ({ status }) => <RunState status={status} /> },
                { title: 'Language', cell: ({ language }) => LANGUAGE_NAMES[language] },
                {
                  title: 'Duration',
                  wideOnly: true,
                  cell: ({ duration_ms: ms }) => (ms === undefined ? '–' : durationOf(ms)),
                },
                {
                  title: 'When',
                  cell: ({ created_at: at }) => <When at={at} />,
                },
                {
                  title: 'Actions',
                  actions: true,
                  cell: ({ id, created_at: at }) => (
                    <Button
                      look="quiet"
                      onClick={() => {
                        onOpen(id);
                      }}
                    >
                      Open<span className="sr-only"> the run of {at}</span>
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
