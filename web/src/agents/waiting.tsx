import type { AgentRun, AgentToolCall } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../api';
import { useMay } from '../data/me';
import { rowsOf } from '../data/paged';
import { approvalsQuery, refreshRun } from '../data/runs';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/code-block';
import { ErrorNote } from '../ui/error-note';
import { Field, Form } from '../ui/form';
import { Ago } from '../ui/time';
import { ApprovalCard } from './approval-card';
import { exactJson } from './json-text';
import { QuestionForm } from './question-form';

interface WaitingProps {
  readonly org: string;
  readonly run: AgentRun;
  readonly calls: readonly AgentToolCall[];
}

/** What a run waits for, and what a person can do about it. */
export function Waiting({ org, run, calls }: WaitingProps): ReactNode {
  const mayRun = useMay(org, 'agents:run');
  if (run.state !== 'waiting') return null;
  switch (run.waiting_for ?? 'timer') {
    case 'approval':
      return <Approvals org={org} run={run} />;
    case 'answer':
      return (
        <Box title="The agent asks a question.">
          {mayRun &&
            calls
              .filter(({ waiting_for: wait }) => wait === 'answer')
              .map((call) => <QuestionForm key={call.id} org={org} run={run.id} call={call} />)}
        </Box>
      );
    case 'unknown_outcome':
      return (
        <Box title="The service was interrupted during a call that must not be repeated. Did it happen?">
          {mayRun &&
            calls
              .filter(({ state }) => state === 'outcome_unknown')
              .map((call) => <Outcome key={call.id} org={org} run={run.id} call={call} />)}
        </Box>
      );
    case 'budget':
      return <Budget org={org} run={run} mayRun={mayRun} />;
    case 'children':
      return <Box title="It waits for the runs that it has started, which are below." />;
    case 'timer':
      return (
        <Box title="It sleeps, and goes on by itself.">
          {run.wakes_at != null && (
            <p>
              It wakes <Ago at={run.wakes_at} />.
            </p>
          )}
        </Box>
      );
  }
}

function Box({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <section
      aria-label="What it waits for"
      className="bg-accent-soft mb-6 grid grid-cols-[minmax(0,1fr)] gap-4 rounded-lg p-4"
    >
      <p className="text-accent-ink font-medium">{title}</p>
      {children}
    </section>
  );
}

function Approvals({ org, run }: Omit<WaitingProps, 'calls'>): ReactNode {
  const approvals = rowsOf(useInfiniteQuery(approvalsQuery(org, 'waiting', run.id)).data);
  return (
    <Box title="It needs your approval before it goes on. What you see is exactly what would be executed.">
      {approvals.map((approval) => (
        <ApprovalCard key={approval.id} org={org} approval={approval} />
      ))}
    </Box>
  );
}

interface OutcomeProps {
  readonly org: string;
  readonly run: string;
  readonly call: AgentToolCall;
}

function Outcome({ org, run, call }: OutcomeProps): ReactNode {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const settle = async (outcome: 'happened' | 'did_not_happen'): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await api.runs.settle(run, { call_id: call.id, outcome }, { organization: org });
      await refreshRun(org, run);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="card grid grid-cols-[minmax(0,1fr)] gap-3 p-4">
      <code className="font-mono font-medium">{call.tool}</code>
      <CodeBlock text={exactJson(call.arguments)} label={`Arguments of ${call.tool}`} wrap />
      {error !== undefined && <ErrorNote error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" busy={busy} onClick={() => void settle('happened')}>
          It happened
        </Button>
        <Button busy={busy} onClick={() => void settle('did_not_happen')}>
          It did not happen
        </Button>
      </div>
    </div>
  );
}

interface BudgetProps {
  readonly org: string;
  readonly run: AgentRun;
  readonly mayRun: boolean;
}

function Budget({ org, run, mayRun }: BudgetProps): ReactNode {
  const { budget } = run;
  const detail = run.wait_detail?.['message'];
  const twice = (amount: number): string => String(amount * 2);
  return (
    <Box title="A limit is used up. Raise it, and the run goes on where it stopped.">
      {typeof detail === 'string' && <p>{detail}</p>}
      {mayRun && (
        <Form
          label="Raise the budget"
          submit="Raise and go on"
          onSubmit={async (values) => {
            await api.runs.resume(
              run.id,
              {
                budget: {
                  cost: values['budget.cost'] ?? budget.cost,
                  steps: Number(values['budget.steps']),
                  active_seconds: Math.round(Number(values['minutes']) * 60),
                  tool_calls: Number(values['budget.tool_calls']),
                },
              },
              { organization: org },
            );
            await refreshRun(org, run.id);
          }}
        >
          <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
            <Field
              label="Cost in USD"
              name="budget.cost"
              inputMode="decimal"
              required
              defaultValue={Number(run.cost) >= Number(budget.cost) * 0.8 ? twice(Number(budget.cost)) : budget.cost}
            />
            <Field
              label="Steps"
              name="budget.steps"
              type="number"
              required
              defaultValue={run.used.steps >= budget.steps ? twice(budget.steps) : budget.steps}
            />
            <Field
              label="Active minutes"
              name="minutes"
              type="number"
              step="any"
              required
              defaultValue={(run.used.active_seconds >= budget.active_seconds ? 2 : 1) * (budget.active_seconds / 60)}
            />
            <Field
              label="Tool calls"
              name="budget.tool_calls"
              type="number"
              required
              defaultValue={run.used.tool_calls >= budget.tool_calls ? twice(budget.tool_calls) : budget.tool_calls}
            />
          </div>
        </Form>
      )}
    </Box>
  );
}
