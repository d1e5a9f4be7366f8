import type { ModelPolicy } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { AiFrame } from '../../ai/ai-frame';
import { policyQuery } from '../../data/ai';
import { useMay } from '../../data/me';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Field, Form } from '../../ui/form';
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
      {/* What was saved elsewhere shows as the new beginning of the form. */}
      <Loaded query={policy}>{(data) => <PolicyForm key={data.updated_at ?? ''} org={org} policy={data} />}</Loaded>
    </AiFrame>
  );
}

const MAX_DAYS = 30;

function PolicyForm({ org, policy }: { readonly org: string; readonly policy: ModelPolicy }): ReactNode {
  const mayChange = useMay(org, 'orgs:write');
  const [resetting, setResetting] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const { updated_at: updatedAt, retention_days: days } = policy;
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: policyQuery(org).queryKey });
  return (
    <>
      <p className="text-muted mb-4 max-w-2xl">
        It holds for all calls of the organization, from the next one on. The list of models stays the same for
        everyone.
      </p>
      <fieldset disabled={!mayChange} className="card max-w-2xl p-4">
        <legend className="sr-only">Policy</legend>
        <Form
          label="Policy"
          submit="Save"
          aside={
            <span role="status" className="text-muted text-sm">
              {isSaved ? 'Saved.' : updatedAt !== undefined && <>Changed {<Ago at={updatedAt} />}</>}
            </span>
          }
          onSubmit={async (values) => {
            const keeps = (values['retention_days'] ?? '').trim();
            await api.ai.policy.set(
              {
                allowed_models: values['allowed_models']?.trim() === '' ? null : patternsIn(values['allowed_models']),
                denied_models: patternsIn(values['denied_models']),
                zero_retention_only: values['zero_retention_only'] !== undefined,
                blocks_secrets: values['blocks_secrets'] !== undefined,
                retention_days: keeps === '' ? null : Number(keeps),
              },
              { organization: org },
            );
            setSaved(true);
            await refresh();
          }}
        >
          <Field
            label="Models that may be called"
            name="allowed_models"
            defaultValue={policy.allowed_models?.join(' ') ?? ''}
            placeholder="All of them"
            spellCheck={false}
            hint="Patterns with spaces between them, such as openai/* *:free. A star stands for any characters."
          />
          <Field
            label="Models that may not be called"
            name="denied_models"
            defaultValue={policy.denied_models.join(' ')}
            placeholder="None"
            spellCheck={false}
            hint="They are refused although the patterns above have them."
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
            hint="Encrypted, and readable by members on the page of a generation. Without a number, all kept texts are deleted."
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
