import type { ModelPolicy, NewModelPolicy } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { AiFrame } from '../../ai/ai-frame';
import { policyQuery } from '../../data/ai';
import { useMay } from '../../data/me';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Choice, Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { Ago } from '../../ui/time';

interface Params {
  readonly org: string;
}

export function prepare({ org }: Params): void {
  queries.query(policyQuery(org)).catch(ignore);
}

/** What the organization allows its own calls of models. */
export function Screen({ org }: Params): ReactNode {
  const policy = useQuery(policyQuery(org));
  return (
    <AiFrame org={org} open="aiPolicy">
      <Loaded query={policy}>{(data) => <PolicyForm org={org} policy={data} />}</Loaded>
    </AiFrame>
  );
}

const MAX_DAYS = 30;

/** An empty list allows no model, which is not the same as no list. */
type ModelChoice = 'all' | 'listed' | 'none';

const choiceOf = ({ allowed_models: allowed }: ModelPolicy): ModelChoice =>
  allowed === null ? 'all' : allowed.length === 0 ? 'none' : 'listed';

function PolicyForm({ org, policy }: { readonly org: string; readonly policy: ModelPolicy }): ReactNode {
  const mayChange = useMay(org, 'orgs:write');
  const [resetting, setResetting] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [models, setModels] = useState(choiceOf(policy));
  // What would delete texts waits here until it is confirmed.
  const [forgetting, setForgetting] = useState<NewModelPolicy>();
  // Only the defaults begin the form again: what was saved elsewhere must not take away what is being typed.
  const [version, setVersion] = useState(0);
  const { updated_at: updatedAt, retention_days: days } = policy;
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: policyQuery(org).queryKey });
  const save = async (wanted: NewModelPolicy): Promise<void> => {
    await api.ai.policy.set(wanted, { organization: org });
    setSaved(true);
    await refresh();
  };
  return (
    <>
      <p className="text-muted mb-4 max-w-2xl">
        It holds for all calls of the organization, from the next one on. The list of models stays the same for
        everyone.
      </p>
      <fieldset disabled={!mayChange} className="card max-w-2xl p-4">
        <legend className="sr-only">Policy</legend>
        <Form
          key={version}
          label="Policy"
          submit="Save"
          aside={
            <span role="status" className="text-muted text-sm">
              {isSaved ? 'Saved.' : updatedAt !== undefined && <>Changed {<Ago at={updatedAt} />}</>}
            </span>
          }
          onSubmit={async (values) => {
            const keeps = (values['retention_days'] ?? '').trim();
            const wanted = {
              allowed_models: models === 'all' ? null : patternsIn(values['allowed_models']),
              denied_models: patternsIn(values['denied_models']),
              zero_retention_only: values['zero_retention_only'] !== undefined,
              blocks_secrets: values['blocks_secrets'] !== undefined,
              retention_days: keeps === '' ? null : Number(keeps),
            };
            setSaved(false);
            if (days !== null && (wanted.retention_days ?? 0) < days) setForgetting(wanted);
            else await save(wanted);
          }}
        >
          <Choice
            label="Models that may be called"
            name="models"
            value={models}
            onChange={({ target }) => {
              setModels(target.value as ModelChoice);
            }}
          >
            <option value="all">All of them</option>
            <option value="listed">Only these</option>
            <option value="none">None</option>
          </Choice>
          {models === 'listed' && (
            <Field
              label="Patterns of their IDs"
              name="allowed_models"
              required
              defaultValue={policy.allowed_models?.join(' ') ?? ''}
              spellCheck={false}
              hint="With spaces between them, such as openai/* *:free. A star stands for any characters."
            />
          )}
          <Field
            label="Models that may not be called"
            name="denied_models"
            defaultValue={policy.denied_models.join(' ')}
            placeholder="None"
            spellCheck={false}
            hint="Patterns, too. They are refused although they may be called by the choice above."
          />
          <Check
            name="zero_retention_only"
            checked={policy.zero_retention_only}
            label="Only providers that keep no texts"
            hint="And that do not learn from them."
          />
          <Check
            name="blocks_secrets"
            checked={policy.blocks_secrets}
            label="Refuse prompts with a key of this service"
            hint="A key that is in a prompt is with the provider, too."
          />
          <Field
            label="Days that prompts and answers are kept"
            name="retention_days"
            type="number"
            min={1}
            max={MAX_DAYS}
            defaultValue={days ?? ''}
            placeholder="They are not kept"
            hint="Encrypted, and readable by members on the page of a generation. A smaller number deletes older texts, and none deletes all."
          />
        </Form>
      </fieldset>
      {mayChange && updatedAt !== undefined && (
        <div className="mt-4">
          <Button
            onClick={() => {
              setResetting(true);
            }}
          >
            Return to the defaults
          </Button>
        </div>
      )}
      <Confirm
        open={forgetting !== undefined}
        title="Delete kept texts?"
        action="Save and delete them"
        danger
        onClose={() => {
          setForgetting(undefined);
        }}
        onConfirm={async () => {
          if (forgetting !== undefined) await save(forgetting);
        }}
      >
        {forgetting?.retention_days == null
          ? 'All kept prompts and answers are deleted.'
          : `Prompts and answers that are older than ${forgetting.retention_days} days are deleted.`}
      </Confirm>
      <Confirm
        open={resetting}
        title="Return to the defaults?"
        action="Return to the defaults"
        danger
        onClose={() => {
          setResetting(false);
        }}
        onConfirm={async () => {
          await api.ai.policy.reset({ organization: org });
          await refresh();
          setModels('all');
          setSaved(false);
          setVersion(version + 1);
        }}
      >
        All models may be called then, and all kept prompts and answers are deleted.
      </Confirm>
    </>
  );
}

const patternsIn = (text = ''): string[] => text.split(/\s+/).filter((pattern) => pattern !== '');

interface CheckProps {
  readonly name: string;
  readonly checked: boolean;
  readonly label: string;
  readonly hint: string;
}

function Check({ name, checked, label, hint }: CheckProps): ReactNode {
  const id = useId();
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-2">
      <input id={id} type="checkbox" name={name} defaultChecked={checked} aria-describedby={`${id}-hint`} />
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <p id={`${id}-hint`} className="text-muted col-start-2 text-sm">
        {hint}
      </p>
    </div>
  );
}
