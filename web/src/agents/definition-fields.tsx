import type { AgentDefinition } from '@service/client';
import type { ReactNode } from 'react';
import { Field } from '../ui/form';
import { Area } from '../ui/area';
import { BlockFields } from './block-fields';
import type { DefinitionDraft } from './definition-draft';
import { ModelFields } from './model-fields';
import { ToolFields } from './tool-fields';

interface DefinitionFieldsProps {
  readonly org: string;
  /** What is there already. */
  readonly definition?: AgentDefinition;
  readonly draft: DefinitionDraft;
  readonly onChange: (draft: DefinitionDraft) => void;
}

/** All fields of a definition, those that few agents need at the end. */
export function DefinitionFields({ org, definition, draft, onChange }: DefinitionFieldsProps): ReactNode {
  return (
    <>
      <Area
        label="Instructions"
        name="instructions"
        required
        rows={8}
        defaultValue={definition?.instructions ?? ''}
        placeholder="You look after our repositories. When a deploy fails, read its log, find the cause, and propose a fix."
        hint="What the agent is for, how it works, and when it is done."
      />
      <ModelFields
        models={draft.models}
        onChange={(models) => {
          onChange({ ...draft, models });
        }}
      />
      <ToolFields
        org={org}
        tools={draft.tools}
        onChange={(tools) => {
          onChange({ ...draft, tools });
        }}
      />
      <BudgetFields {...(definition !== undefined && { definition })} />
      <details className="border-line rounded-md border p-3" open={draft.blocks.length > 0}>
        <summary className="font-medium">Memory</summary>
        <div className="mt-3 grid gap-4">
          <label className="flex items-start gap-2">
            <input
              type="checkbox"
              name="archive"
              className="mt-1"
              defaultChecked={definition?.memory.archive ?? false}
            />
            <span>
              Keep an archive
              <span className="text-muted block text-sm">The agent can remember texts and search them later.</span>
            </span>
          </label>
          <BlockFields
            blocks={draft.blocks}
            onChange={(blocks) => {
              onChange({ ...draft, blocks });
            }}
          />
        </div>
      </details>
      <MoreFields {...(definition !== undefined && { definition })} />
    </>
  );
}

function BudgetFields({ definition }: Pick<DefinitionFieldsProps, 'definition'>): ReactNode {
  const budget = definition?.budget;
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">Limits of one run</legend>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Field
          label="Cost in USD"
          name="budget.cost"
          inputMode="decimal"
          required
          defaultValue={budget?.cost ?? '1.00'}
        />
        <Field
          label="Steps"
          name="budget.steps"
          type="number"
          min={1}
          max={1000}
          required
          defaultValue={budget?.steps ?? 50}
        />
        <Field
          label="Active minutes"
          name="minutes"
          type="number"
          min={0.5}
          max={1440}
          step={0.5}
          required
          defaultValue={(budget?.active_seconds ?? 3_600) / 60}
        />
        <Field
          label="Tool calls"
          name="budget.tool_calls"
          type="number"
          min={0}
          max={10000}
          required
          defaultValue={budget?.tool_calls ?? 200}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Cost of all runs in a month, in USD"
          name="monthly_cost"
          inputMode="decimal"
          placeholder="No limit"
          defaultValue={definition?.monthly_cost ?? ''}
        />
        <Field
          label="Hours until an approval expires"
          name="hours"
          type="number"
          min={0.1}
          step="any"
          required
          defaultValue={(definition?.approval_expires_seconds ?? 86_400) / 3_600}
        />
      </div>
    </fieldset>
  );
}

function MoreFields({ definition }: Pick<DefinitionFieldsProps, 'definition'>): ReactNode {
  const schema = definition?.output_schema;
  return (
    <details className="border-line rounded-md border p-3">
      <summary className="font-medium">Output, scopes and sampling</summary>
      <div className="mt-3 grid gap-4">
        <Area
          label="Output schema"
          name="output_schema"
          rows={5}
          mono
          defaultValue={schema == null ? '' : JSON.stringify(schema, null, 2)}
          placeholder={'{ "type": "object", "properties": { "summary": { "type": "string" } } }'}
          hint="A JSON Schema. Without one, the output is text."
        />
        <Field
          label="Scopes"
          name="scopes"
          className="font-mono"
          defaultValue={definition?.scopes.join(' ') ?? ''}
          hint="What a run may do at most, separated by spaces. Without any, what the tools need."
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Temperature"
            name="temperature"
            type="number"
            min={0}
            max={2}
            step={0.1}
            placeholder="Of the model"
            defaultValue={definition?.temperature ?? ''}
          />
          <Field
            label="Output tokens of a step"
            name="max_output_tokens"
            type="number"
            min={1}
            placeholder="Of the model"
            defaultValue={definition?.max_output_tokens ?? ''}
          />
        </div>
      </div>
    </details>
  );
}
