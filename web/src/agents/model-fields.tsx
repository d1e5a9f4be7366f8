import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { isForChat, priceOf } from '../ai/amounts';
import { modelsQuery } from '../data/ai';
import { Button } from '../ui/button';
import { Icon } from '../ui/icons';

const MOST = 5;

interface ModelFieldsProps {
  readonly models: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
}

/** The first model answers, and the others when it is unavailable. Any name can be typed. */
export function ModelFields({ models, onChange }: ModelFieldsProps): ReactNode {
  const id = useId();
  const offered = (useQuery(modelsQuery).data ?? []).filter(isForChat);
  const first = offered.find((model) => model.id === models[0]);
  const set = (at: number, value: string): void => {
    onChange(models.map((model, index) => (index === at ? value : model)));
  };
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">Models</legend>
      <datalist id={id}>
        {offered.map((model) => (
          <option key={model.id} value={model.id}>
            {model.name}
          </option>
        ))}
      </datalist>
      {models.map((model, at) => (
        <div key={at} className="flex items-center gap-2">
          <input
            className="input font-mono text-sm"
            aria-label={at === 0 ? 'Model' : `Model ${at + 1}, when those before are unavailable`}
            name={`models[${at}]`}
            list={id}
            required={at === 0}
            autoComplete="off"
            placeholder={offered[at]?.id ?? 'provider/model'}
            value={model}
            onChange={({ target }) => {
              set(at, target.value);
            }}
          />
          {at > 0 && (
            <Button
              look="quiet"
              className="!px-2"
              aria-label={`Remove model ${at + 1}`}
              onClick={() => {
                onChange(models.filter((_, index) => index !== at));
              }}
            >
              <Icon name="close" size={14} />
            </Button>
          )}
        </div>
      ))}
      <p className="text-muted text-sm">
        {first === undefined
          ? 'The first model answers, and the next when it is unavailable.'
          : `${first.name}: ${priceOf(first.pricing.input)} in and ${priceOf(first.pricing.output ?? '0')} out for a million tokens.`}
      </p>
      {models.length < MOST && (
        <div>
          <Button
            look="quiet"
            onClick={() => {
              onChange([...models, '']);
            }}
          >
            <Icon name="plus" size={14} />
            Add a model for when it is unavailable
          </Button>
        </div>
      )}
    </fieldset>
  );
}
