import type { AgentToolCall } from '@service/client';
import type { ReactNode } from 'react';
import { api } from '../api';
import { refreshRun } from '../data/runs';
import { Area } from '../ui/area';
import { Choice, Field, Form } from '../ui/form';
import { jsonIn } from './json-text';
import { answerIn, fieldsOf, inputName, type QuestionField, questionOf } from './question';

interface QuestionFormProps {
  readonly org: string;
  readonly run: string;
  readonly call: AgentToolCall;
}

/** The question of a run with the fields of its answer, or JSON where those are not simple. */
export function QuestionForm({ org, run, call }: QuestionFormProps): ReactNode {
  const fields = fieldsOf(call);
  return (
    <Form
      label="Answer"
      submit="Send the answer"
      onSubmit={async (values) => {
        const content = fields === undefined ? jsonIn(values['json'] ?? '', 'The answer') : answerIn(fields, values);
        await api.runs.answer(run, { content, call_id: call.id }, { organization: org });
        await refreshRun(org, run);
      }}
    >
      <p className="font-medium break-words whitespace-pre-wrap">{questionOf(call)}</p>
      {fields === undefined ? (
        <Area label="Your answer" name="json" mono rows={6} required hint="JSON, as the schema of the question asks." />
      ) : (
        fields.map((field) => <Input key={inputName(field)} field={field} />)
      )}
    </Form>
  );
}

function Input({ field }: { readonly field: QuestionField }): ReactNode {
  const { label, hint, type, choices, isRequired } = field;
  const facts = { label, name: inputName(field), ...(hint !== undefined && { hint }) };
  if (choices !== undefined)
    return (
      <Choice {...facts} required={isRequired} defaultValue="">
        <option value="" disabled={isRequired}>
          {isRequired ? 'Choose…' : 'None'}
        </option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </Choice>
    );
  if (type === 'boolean')
    return (
      <label className="flex items-center gap-2">
        <input type="checkbox" name={facts.name} />
        {label}
      </label>
    );
  if (type === 'string') return <Area {...facts} rows={3} required={isRequired} />;
  return <Field {...facts} type="number" step={type === 'integer' ? 1 : 'any'} required={isRequired} />;
}
