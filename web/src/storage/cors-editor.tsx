import type { Bucket } from '@service/client';
import { type ReactNode, useState } from 'react';
import { api } from '../api';
import { refreshStorage } from '../data/storage';
import { Button } from '../ui/button';
import { Field, Form } from '../ui/form';
import { type CorsDraft, draftOf, METHODS, newRule, ruleOf } from './cors-rules';

/** Which pages of other origins may use the bucket from a browser. */
export function CorsEditor({ org, bucket }: { readonly org: string; readonly bucket: Bucket }): ReactNode {
  const [rules, setRules] = useState(() => bucket.cors.map(draftOf));
  const [isSaved, setIsSaved] = useState(false);
  const change = (next: readonly CorsDraft[]): void => {
    setIsSaved(false);
    setRules([...next]);
  };
  return (
    <div className="card p-5">
      <Form
        label="Other origins"
        submit="Save the rules"
        aside={
          <>
            <span role="status" className="text-good text-sm">
              {isSaved && 'Saved'}
            </span>
            <Button
              onClick={() => {
                change([...rules, newRule()]);
              }}
            >
              Add a rule
            </Button>
          </>
        }
        onSubmit={async () => {
          await api.storage.buckets.update(bucket.id, { cors: rules.map(ruleOf) }, { organization: org });
          await refreshStorage(org);
          setIsSaved(true);
        }}
      >
        {rules.length === 0 && (
          <p className="text-muted">No rule: pages of other origins cannot read or upload by script.</p>
        )}
        {rules.map((rule, index) => (
          <Rule
            key={rule.id}
            rule={rule}
            number={index + 1}
            onChange={(next) => {
              change(rules.map((each) => (each.id === rule.id ? next : each)));
            }}
            onRemove={() => {
              change(rules.filter((each) => each.id !== rule.id));
            }}
          />
        ))}
      </Form>
    </div>
  );
}

interface RuleProps {
  readonly rule: CorsDraft;
  readonly number: number;
  readonly onChange: (rule: CorsDraft) => void;
  readonly onRemove: () => void;
}

function Rule({ rule, number, onChange, onRemove }: RuleProps): ReactNode {
  const path = `cors[${number - 1}]`;
  const field = (name: 'origins' | 'headers' | 'exposed' | 'maxAge') => ({
    value: rule[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }): void => {
      onChange({ ...rule, [name]: target.value });
    },
  });
  return (
    <fieldset className="border-line grid gap-3 rounded-md border p-3">
      <legend className="px-1 font-medium">Rule {number}</legend>
      <Field
        label="Origins"
        name={`${path}.origins`}
        required
        placeholder="https://shop.example.com https://www.example.com"
        hint="With their scheme, separated by spaces. A single * stands for all."
        {...field('origins')}
      />
      <div role="group" aria-label="Methods" className="flex flex-wrap gap-x-4">
        {METHODS.map((method) => (
          <label key={method} className="flex min-h-6 items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-[var(--accent)]"
              checked={rule.methods.includes(method)}
              onChange={({ target }) => {
                onChange({
                  ...rule,
                  methods: METHODS.filter((each) => (each === method ? target.checked : rule.methods.includes(each))),
                });
              }}
            />
            {method}
          </label>
        ))}
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label="Allowed headers" name={`${path}.headers`} {...field('headers')} />
        <Field label="Exposed headers" name={`${path}.expose_headers`} {...field('exposed')} />
        <Field
          label="Kept for seconds"
          name={`${path}.max_age_seconds`}
          type="number"
          min={0}
          max={86_400}
          {...field('maxAge')}
        />
      </div>
      <Button look="quiet" className="justify-self-start" onClick={onRemove}>
        Remove rule {number}
      </Button>
    </fieldset>
  );
}
