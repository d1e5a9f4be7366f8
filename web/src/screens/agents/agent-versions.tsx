import type { Agent, AgentVersion } from '@service/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { api, ignore, queries } from '../../api';
import { AgentFrame, type AgentParams } from '../../agents/agent-frame';
import { definitionLines } from '../../agents/definition-text';
import { folded, lineDiff } from '../../agents/line-diff';
import { refreshAgents, versionQuery, versionsQuery } from '../../data/agents';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { Button } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Section } from '../../ui/page';
import { State } from '../../ui/state';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';

export function prepare({ org, agent }: AgentParams): void {
  queries.infiniteQuery(versionsQuery(org, agent)).catch(ignore);
}

export function Screen({ org, agent: id }: AgentParams): ReactNode {
  return (
    <AgentFrame org={org} agent={id} open="agentVersions">
      {(agent) => <Versions org={org} agent={agent} />}
    </AgentFrame>
  );
}

interface VersionsProps {
  readonly org: string;
  readonly agent: Agent;
}

/** The versions that are compared are in the address. */
function Versions({ org, agent }: VersionsProps): ReactNode {
  const versions = useInfiniteQuery(versionsQuery(org, agent.id));
  const mayWrite = useMay(org, 'agents:write');
  const [search, setSearch] = useSearchParams();
  const promote = useMutation({
    mutationFn: (number: number) => api.agents.promote(agent.id, number, { organization: org }),
    onSuccess: () => refreshAgents(org),
  });
  return (
    <Loaded query={versions}>
      {(data) => {
        const rows = rowsOf(data);
        const latest = rows[0]?.number ?? 1;
        const to = numberIn(search, 'to') ?? latest;
        const from = numberIn(search, 'from') ?? Math.max(1, to - 1);
        const compare = (one: number, other: number): void => {
          setSearch({ from: String(one), to: String(other) }, { replace: true });
        };
        return (
          <>
            {promote.error !== null && (
              <div className="mb-4">
                <ErrorNote error={promote.error} />
              </div>
            )}
            <div className="mb-8">
              <VersionTable
                rows={rows}
                more={<More query={versions} />}
                busy={promote.isPending}
                onCompare={(number) => {
                  compare(Math.max(1, number - 1), number);
                }}
                {...(mayWrite && { onPromote: promote.mutate })}
              />
            </div>
            <Section title="Compare">
              <div className="mb-3 flex flex-wrap items-center gap-2">
                <VersionChoice
                  label="From version"
                  rows={rows}
                  value={from}
                  onChange={(one) => {
                    compare(one, to);
                  }}
                />
                <span className="text-muted">to</span>
                <VersionChoice
                  label="To version"
                  rows={rows}
                  value={to}
                  onChange={(other) => {
                    compare(from, other);
                  }}
                />
              </div>
              <Comparison org={org} agent={agent.id} from={from} to={to} />
            </Section>
          </>
        );
      }}
    </Loaded>
  );
}

function numberIn(search: URLSearchParams, name: string): number | undefined {
  const number = Number(search.get(name) ?? 0);
  return Number.isInteger(number) && number > 0 ? number : undefined;
}

interface VersionTableProps {
  readonly rows: readonly AgentVersion[];
  readonly more: ReactNode;
  readonly busy: boolean;
  readonly onCompare: (number: number) => void;
  /** Absent where the role does not allow it. */
  readonly onPromote?: (number: number) => void;
}

function VersionTable({ rows, more, busy, onCompare, onPromote }: VersionTableProps): ReactNode {
  return (
    <Table
      label="Versions, the latest first"
      rows={rows}
      keyOf={({ number }) => String(number)}
      more={more}
      columns={[
        {
          title: 'Version',
          cell: ({ number, live }) => (
            <span className="inline-flex items-center gap-2 font-medium">
              {number}
              {live && <State tone="good">Live</State>}
            </span>
          ),
        },
        {
          title: 'Model',
          wideOnly: true,
          cell: ({ models }) => <code className="font-mono text-sm">{models[0]}</code>,
        },
        { title: 'Tools', wideOnly: true, numeric: true, cell: ({ tools }) => tools.length },
        {
          title: 'Created',
          cell: ({ created_at: at }) => <When at={at} />,
        },
        {
          title: 'Actions',
          actions: true,
          cell: ({ number, live }) => (
            <span className="inline-flex">
              <Button
                look="quiet"
                onClick={() => {
                  onCompare(number);
                }}
              >
                Compare<span className="sr-only"> version {number}</span>
              </Button>
              {onPromote !== undefined && !live && (
                <Button
                  look="quiet"
                  busy={busy}
                  onClick={() => {
                    onPromote(number);
                  }}
                >
                  Make live<span className="sr-only">: version {number}</span>
                </Button>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

interface VersionChoiceProps {
  readonly label: string;
  readonly rows: readonly AgentVersion[];
  readonly value: number;
  readonly onChange: (number: number) => void;
}

function VersionChoice({ label, rows, value, onChange }: VersionChoiceProps): ReactNode {
  const numbers = rows.map(({ number }) => number);
  return (
    <select
      aria-label={label}
      className="input w-auto"
      value={value}
      onChange={({ target }) => {
        onChange(Number(target.value));
      }}
    >
      {(numbers.includes(value) ? numbers : [value, ...numbers]).map((number) => (
        <option key={number} value={number}>
          Version {number}
        </option>
      ))}
    </select>
  );
}

const LOOKS = {
  same: ['text-muted', ' ', ''],
  added: ['bg-good-soft text-good', '+', 'Added: '],
  removed: ['bg-bad-soft text-bad', '−', 'Removed: '],
} as const;

interface ComparisonProps {
  readonly org: string;
  readonly agent: string;
  readonly from: number;
  readonly to: number;
}

function Comparison({ org, agent, from, to }: ComparisonProps): ReactNode {
  const before = useQuery(versionQuery(org, agent, from));
  const after = useQuery(versionQuery(org, agent, to));
  if (from === to) return <p className="text-muted">Choose two different versions to see what changed.</p>;
  return (
    <Loaded query={before}>
      {(old) => (
        <Loaded query={after}>
          {(next) => <Lines lines={folded(lineDiff(definitionLines(old), definitionLines(next)))} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function Lines({ lines }: { readonly lines: ReturnType<typeof folded> }): ReactNode {
  if (lines.every((line) => line === null)) return <p className="text-muted">The definitions are the same.</p>;
  return (
    <div
      className="card max-h-[32rem] overflow-auto py-2 font-mono text-sm"
      tabIndex={0}
      role="region"
      aria-label="Differences"
    >
      {lines.map((line, at) =>
        line === null ? (
          <div key={at} className="text-muted px-4" aria-hidden="true">
            ⋯
          </div>
        ) : (
          <div key={at} className={`px-4 whitespace-pre-wrap break-words ${LOOKS[line.kind][0]}`}>
            <span aria-hidden="true" className="inline-block w-5 select-none">
              {LOOKS[line.kind][1]}
            </span>
            <span className="sr-only">{LOOKS[line.kind][2]}</span>
            {line.text}
          </div>
        ),
      )}
    </div>
  );
}
