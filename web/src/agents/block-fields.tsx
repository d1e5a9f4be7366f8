import type { ReactNode } from 'react';
import { Button } from '../ui/button';
import { Icon } from '../ui/icons';
import type { BlockDraft } from './definition-draft';

const MOST = 20;

interface BlockFieldsProps {
  readonly blocks: readonly BlockDraft[];
  readonly onChange: (blocks: readonly BlockDraft[]) => void;
}

/** Texts that the model always sees. A new agent begins with them. */
export function BlockFields({ blocks, onChange }: BlockFieldsProps): ReactNode {
  const set = (at: number, change: Partial<BlockDraft>): void => {
    onChange(blocks.map((block, index) => (index === at ? { ...block, ...change } : block)));
  };
  return (
    <div className="grid gap-3">
      {blocks.map((block, at) => (
        <div key={at} className="border-line grid gap-2 rounded-md border p-3">
          <div className="flex items-center gap-2">
            <input
              className="input font-mono text-sm"
              aria-label={`Label of block ${at + 1}`}
              placeholder="persona"
              required
              value={block.label}
              onChange={({ target }) => {
                set(at, { label: target.value });
              }}
            />
            <Button
              look="quiet"
              className="!px-2"
              aria-label={`Remove block ${block.label || at + 1}`}
              onClick={() => {
                onChange(blocks.filter((_, index) => index !== at));
              }}
            >
              <Icon name="close" size={14} />
            </Button>
          </div>
          <input
            className="input"
            aria-label={`Description of block ${at + 1}`}
            placeholder="What the agent keeps here"
            value={block.description}
            onChange={({ target }) => {
              set(at, { description: target.value });
            }}
          />
          <textarea
            className="input resize-y"
            rows={3}
            aria-label={`Text of block ${at + 1}`}
            placeholder="The text that a new agent begins with"
            value={block.value}
            onChange={({ target }) => {
              set(at, { value: target.value });
            }}
          />
        </div>
      ))}
      {blocks.length < MOST && (
        <div>
          <Button
            look="quiet"
            onClick={() => {
              onChange([...blocks, { label: '', description: '', value: '' }]);
            }}
          >
            <Icon name="plus" size={14} />
            Add a block that the model always sees
          </Button>
        </div>
      )}
    </div>
  );
}
