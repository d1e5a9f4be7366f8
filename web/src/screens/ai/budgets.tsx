import type { NewSpendingBudget, SpendingBudget } from '@service/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { AiFrame } from '../../ai/ai-frame';
import { money } from '../../chart/units';
import { budgetsQuery } from '../../data/billing';
import { useMay } from '../../data/me';
import { useKeys, useProjectNames } from '../../data/names';
import { rowsOf } from '../../data/paged';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Choice, Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { MeterBar } from '../../ui/meter-bar';
import { More } from '../../ui/more';
import { NotForRole } from '../../ui/not-for-role';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
}

type Window = NewSpendingBudget['window'];

const WINDOWS: Readonly<Record<Window, string>> = { day: 'a day', month: 'a month', total: 'in all' };

export function prepare({ org }: Params): void {
  queries.infiniteQuery(budgetsQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const mayRead = useMay(org, 'billing:read');
  const mayWrite = useMay(org, 'billing:write');
  const [open, setOpen] = useState<'new' | SpendingBudget>();
  const add = mayRead && mayWrite && (
    <AddButton
      onClick={() => {
        setOpen('new');
      }}
    >
      New budget
    </AddButton>
  );
  return (
    <AiFrame org={org} open="aiBudgets" actions={add}>
      {mayRead ? <Budgets org={org} mayWrite={mayWrite} add={add} onChange={setOpen} /> : <NotForRole />}
      <BudgetDialog
        org={org}
        open={open !== undefined}
        budget={typeof open === 'object' ? open : undefined}
        onClose={() => {
          setOpen(undefined);
        }}
      />
    </AiFrame>
  );
}

interface BudgetsProps {
  readonly org: string;
  readonly mayWrite: boolean;
  readonly add: ReactNode;
  readonly onChange: (budget: SpendingBudget) => void;
}

function Budgets({ org, mayWrite, add, onChange }: BudgetsProps): ReactNode {
  const budgets = useInfiniteQuery(budgetsQuery(org));
  const nameOf = useSubjectName(org);
  const [removed, setRemoved] = useState<SpendingBudget>();
  return (
    <Loaded query={budgets}>
      {(data) =>
        rowsOf(data).length === 0 ? (
          <Empty icon="billing" title="No budgets yet" action={add}>
            A budget limits what all work of an API key or a project may cost, calls of models included. Work that could
            exceed it is refused before it starts.
          </Empty>
        ) : (
          <>
            <p className="text-muted mb-4 max-w-2xl">
              They limit all work of an API key or a project, calls of models included. Work that could exceed one is
              refused before it starts.
            </p>
            <ul aria-label="Budgets" className="card divide-line divide-y">
              {rowsOf(data).map((budget) => (
                <li key={budget.subject} className="grid gap-3 p-4 sm:grid-cols-[minmax(0,1fr)_auto] sm:gap-6">
                  <Row budget={budget} name={nameOf(budget.subject)} />
                  {mayWrite && (
                    <div className="flex items-center gap-1 max-sm:-ml-3">
                      <Button
                        look="quiet"
                        onClick={() => {
                          onChange(budget);
                        }}
                      >
                        Change<span className="sr-only"> the budget of {nameOf(budget.subject)}</span>
                      </Button>
                      <Button
                        look="quiet"
                        onClick={() => {
                          setRemoved(budget);
                        }}
                      >
                        Remove<span className="sr-only"> the budget of {nameOf(budget.subject)}</span>
                      </Button>
                    </div>
                  )}
                </li>
              ))}
            </ul>
            <More query={budgets} />
            <Confirm
              open={removed !== undefined}
              title="Remove this budget?"
              action="Remove the budget"
              danger
              onClose={() => {
                setRemoved(undefined);
              }}
              onConfirm={async () => {
                if (removed !== undefined) await api.billing.deleteBudget(removed.subject, { organization: org });
                await queries.invalidateQueries({ queryKey: budgetsQuery(org).queryKey });
              }}
            >
              Only the credits and the spend cap of the organization limit{' '}
              <b className="text-ink">{removed === undefined ? '' : nameOf(removed.subject)}</b> then.
            </Confirm>
          </>
        )
      }
    </Loaded>
  );
}

/** Money that is held for running work counts, as nothing else can use it. */
function Row({ budget, name }: { readonly budget: SpendingBudget; readonly name: string }): ReactNode {
  const { subject, window, limit, spent, held, resets_at: resetsAt } = budget;
  return (
    <div className="grid min-w-0 gap-1.5">
      <MeterBar label={name} used={Number(spent) + Number(held)} limit={Number(limit)}>
        {money(Number(spent))} of {money(Number(limit))} {WINDOWS[window]}
      </MeterBar>
      <p className="text-muted text-sm">
        {subject.startsWith('project:') ? 'Project' : 'API key'}
        {Number(held) > 0 && `, ${money(Number(held))} held for running work`}
        {resetsAt !== undefined && (
          <>
            , begins again <Ago at={resetsAt} />
          </>
        )}
      </p>
    </div>
  );
}

/** The name of the key or the project, or its id where the person may not see it. */
function useSubjectName(org: string): (subject: string) => string {
  const keys = useKeys(org);
  const projects = useProjectNames(org);
  return (subject) => {
    const id = subject.slice(subject.indexOf(':') + 1);
    return keys.get(id)?.name ?? projects.get(id) ?? id;
  };
}

interface BudgetDialogProps {
  readonly org: string;
  readonly open: boolean;
  /** The one that is changed; undefined for a new one. */
  readonly budget: SpendingBudget | undefined;
  readonly onClose: () => void;
}

function BudgetDialog({ org, open, budget, onClose }: BudgetDialogProps): ReactNode {
  const nameOf = useSubjectName(org);
  const title = budget === undefined ? 'New budget' : `Budget of ${nameOf(budget.subject)}`;
  return (
    <Dialog open={open} title={title} onClose={onClose}>
      <Form
        label={title}
        submit={budget === undefined ? 'Set the budget' : 'Change the budget'}
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ subject = budget?.subject ?? '', limit = '', window }) => {
          if (subject === '') throw new Error('Choose an API key or a project.');
          const wanted = { limit: limit.trim(), window: window as Window };
          await api.billing.setBudget(subject, wanted, { organization: org });
          await queries.invalidateQueries({ queryKey: budgetsQuery(org).queryKey });
          onClose();
        }}
      >
        {budget === undefined && <SubjectChoice org={org} />}
        <Field
          label="US dollars"
          name="limit"
          inputMode="decimal"
          required
          autoFocus={budget !== undefined}
          defaultValue={budget?.limit ?? ''}
          placeholder="25"
          hint="0 refuses all work that costs."
        />
        <Choice
          label="Period"
          name="window"
          defaultValue={budget?.window ?? 'month'}
          hint="Days and months begin in UTC. Another period begins with nothing spent."
        >
          <option value="day">Each day</option>
          <option value="month">Each month</option>
          <option value="total">All time</option>
        </Choice>
      </Form>
    </Dialog>
  );
}

/** What has a budget already is changed where it stands. */
function SubjectChoice({ org }: { readonly org: string }): ReactNode {
  const keys = [...useKeys(org).values()].filter(({ status }) => status === 'active');
  const projects = [...useProjectNames(org)];
  const taken = new Set(rowsOf(useInfiniteQuery(budgetsQuery(org)).data).map(({ subject }) => subject));
  const options = (all: readonly (readonly [id: string, name: string])[]): ReactNode =>
    all
      .filter(([id]) => !taken.has(id))
      .map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ));
  return (
    <Choice label="For" name="subject" required autoFocus defaultValue="">
      <option value="" disabled>
        Choose an API key or a project
      </option>
      <optgroup label="Projects">{options(projects.map(([id, name]) => [`project:${id}`, name]))}</optgroup>
      <optgroup label="API keys">
        {options(keys.map(({ id, name, last4 }) => [`key:${id}`, `${name} (…${last4})`]))}
      </optgroup>
    </Choice>
  );
}
