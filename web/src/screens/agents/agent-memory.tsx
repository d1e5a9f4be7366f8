import { type AgentMemory, ConflictError, type MemoryBlock } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, ignore, queries } from '../../api';
import { AgentFrame, type AgentParams } from '../../agents/agent-frame';
import { blocksQuery, memoriesQuery } from '../../data/agents';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { Area } from '../../ui/area';
import { Button } from '../../ui/button';
import { Confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/dialog';
import { Field, Form } from '../../ui/form';
import { Icon } from '../../ui/icons';
import { Loaded } from '../../ui/loaded';
import { More } from '../../ui/more';
import { Section } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';
import { State } from '../../ui/state';
import { Ago } from '../../ui/time';

export function prepare({ org, agent }: AgentParams): void {
  queries.query(blocksQuery(org, agent)).catch(ignore);
}

export function Screen({ org, agent }: AgentParams): ReactNode {
  const mayWrite = useMay(org, 'agents:write');
  return (
    <AgentFrame org={org} agent={agent} open="agentMemory">
      {() => (
        <>
          <Blocks org={org} agent={agent} mayWrite={mayWrite} />
          <Archive org={org} agent={agent} mayWrite={mayWrite} />
        </>
      )}
    </AgentFrame>
  );
}

interface PartProps extends AgentParams {
  readonly mayWrite: boolean;
}

function Blocks({ org, agent, mayWrite }: PartProps): ReactNode {
  const blocks = useQuery(blocksQuery(org, agent));
  return (
    <Section title="Blocks" hint="The model always sees them, and runs can change them.">
      <Loaded query={blocks}>
        {(found) =>
          found.length === 0 ? (
            <p className="text-muted">This agent has no blocks. Add one under Definition, Memory.</p>
          ) : (
            <div className="grid gap-4">
              {found.map((block) => (
                <Block key={block.label} org={org} agent={agent} block={block} mayWrite={mayWrite} />
              ))}
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

/** What is typed stays when a run changes the block meanwhile; the person then sees both and decides. */
function Block({ org, agent, block, mayWrite }: PartProps & { readonly block: MemoryBlock }): ReactNode {
  const [base, setBase] = useState(block);
  const [value, setValue] = useState(block.value);
  const [isStale, setIsStale] = useState(false);
  const isTyped = value !== base.value;
  // Nothing was typed, so the newest text is shown.
  if (block.version > base.version && !isTyped) {
    setBase(block);
    setValue(block.value);
  }
  const hasChanged = block.version > base.version || isStale;
  const save = async (): Promise<void> => {
    try {
      const saved = await api.agents.blocks.set(
        agent,
        block.label,
        { value, version: base.version },
        { organization: org },
      );
      setBase(saved);
      setValue(saved.value);
      setIsStale(false);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      setIsStale(true);
    }
    await queries.invalidateQueries({ queryKey: blocksQuery(org, agent).queryKey });
  };
  return (
    <div className="card p-4">
      <Form label={`Block ${block.label}`} submit="Save the block" onSubmit={save}>
        <Area
          label={block.label}
          name="value"
          rows={Math.min(12, Math.max(3, value.split('\n').length + 1))}
          disabled={!mayWrite}
          value={value}
          onChange={({ target }) => {
            setValue(target.value);
          }}
          hint={<BlockFacts org={org} block={block} />}
        />
        {hasChanged && isTyped && (
          <Conflict
            block={block}
            onTake={() => {
              setBase(block);
              setValue(block.value);
              setIsStale(false);
            }}
            onKeep={() => {
              setBase(block);
              setIsStale(false);
            }}
          />
        )}
      </Form>
    </div>
  );
}

function BlockFacts({ org, block }: { readonly org: string; readonly block: MemoryBlock }): ReactNode {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3">
      {block.description != null && <span>{block.description}</span>}
      <span>
        Version {block.version}, <Ago at={block.updated_at} />
      </span>
      {block.run_id != null && (
        <ScreenLink to="run" params={{ org, run: block.run_id }} className="link">
          written by a run
        </ScreenLink>
      )}
      {block.tainted && <Tainted />}
    </span>
  );
}

function Tainted(): ReactNode {
  return (
    <span title="The run that wrote it had read text from outside of this service.">
      <State tone="warn">From untrusted text</State>
    </span>
  );
}

interface ConflictProps {
  readonly block: MemoryBlock;
  readonly onTake: () => void;
  readonly onKeep: () => void;
}

function Conflict({ block, onTake, onKeep }: ConflictProps): ReactNode {
  return (
    <div role="alert" className="bg-warn-soft grid gap-2 rounded-md p-3">
      <p className="text-warn font-medium">This block was changed meanwhile. It now says:</p>
      <pre className="max-h-48 overflow-auto font-mono text-sm whitespace-pre-wrap" tabIndex={0}>
        {block.value}
      </pre>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onTake}>Take this text</Button>
        <Button onClick={onKeep}>Keep mine, and replace it</Button>
      </div>
    </div>
  );
}

function Archive({ org, agent, mayWrite }: PartProps): ReactNode {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  const memories = useInfiniteQuery(memoriesQuery(org, agent, query));
  const [edited, setEdited] = useState<AgentMemory | 'new'>();
  const [removed, setRemoved] = useState<AgentMemory>();
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['agents', org, agent, 'memories'] });
  return (
    <Section title="Archive" hint="Texts that the agent remembers and finds again.">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <div role="search" className="flex min-w-0 flex-1 items-center gap-2">
          <input
            data-search
            type="search"
            aria-label="Search the archive"
            className="input max-w-80"
            placeholder="Search…"
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              if (target.value === '') setQuery('');
            }}
            onKeyDown={({ key }) => {
              if (key === 'Enter') setQuery(typed.trim());
            }}
          />
          <Button
            onClick={() => {
              setQuery(typed.trim());
            }}
          >
            Search
          </Button>
        </div>
        {mayWrite && (
          <Button
            onClick={() => {
              setEdited('new');
            }}
          >
            <Icon name="plus" size={14} />
            New memory
          </Button>
        )}
      </div>
      <Loaded query={memories}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <p className="text-muted">{query === '' ? 'It remembers nothing yet.' : 'Nothing matches.'}</p>
          ) : (
            <ul aria-label="Memories" className="card divide-line divide-y">
              {rowsOf(data).map((memory) => (
                <li key={memory.id} className="flex items-start gap-3 p-4">
                  <MemoryText org={org} memory={memory} />
                  {mayWrite && (
                    <span className="inline-flex shrink-0">
                      <Button
                        look="quiet"
                        onClick={() => {
                          setEdited(memory);
                        }}
                      >
                        Edit<span className="sr-only"> {memory.text.slice(0, 40)}</span>
                      </Button>
                      <Button
                        look="quiet"
                        className="!px-2"
                        aria-label={`Delete ${memory.text.slice(0, 40)}`}
                        onClick={() => {
                          setRemoved(memory);
                        }}
                      >
                        <Icon name="close" size={14} />
                      </Button>
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <More query={memories} />
      <MemoryDialog
        org={org}
        agent={agent}
        memory={edited}
        onClose={() => {
          setEdited(undefined);
        }}
        onSaved={refresh}
      />
      <Confirm
        open={removed !== undefined}
        title="Delete this memory?"
        action="Delete the memory"
        danger
        onClose={() => {
          setRemoved(undefined);
        }}
        onConfirm={async () => {
          if (removed !== undefined) await api.agents.memories.delete(agent, removed.id, { organization: org });
          await refresh();
        }}
      >
        {removed?.text.slice(0, 200)}
      </Confirm>
    </Section>
  );
}

function MemoryText({ org, memory }: { readonly org: string; readonly memory: AgentMemory }): ReactNode {
  return (
    <div className="min-w-0 flex-1">
      <p className="break-words whitespace-pre-wrap">{memory.text}</p>
      <p className="text-muted mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        {memory.tags.map((tag) => (
          <code key={tag} className="bg-sunken rounded-sm px-1.5 font-mono text-xs">
            {tag}
          </code>
        ))}
        <Ago at={memory.created_at} />
        {memory.run_id != null && (
          <ScreenLink to="run" params={{ org, run: memory.run_id }} className="link">
            written by a run
          </ScreenLink>
        )}
        {memory.tainted && <Tainted />}
      </p>
    </div>
  );
}

interface MemoryDialogProps extends AgentParams {
  readonly memory: AgentMemory | 'new' | undefined;
  readonly onClose: () => void;
  readonly onSaved: () => Promise<void>;
}

function MemoryDialog({ org, agent, memory, onClose, onSaved }: MemoryDialogProps): ReactNode {
  const old = memory === 'new' ? undefined : memory;
  return (
    <Dialog
      open={memory !== undefined}
      title={old === undefined ? 'New memory' : 'Edit the memory'}
      wide
      onClose={onClose}
    >
      <Form
        label="Memory"
        submit="Save the memory"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ text = '', tags = '' }) => {
          const change = { text, tags: tags.split(/[\s,]+/).filter((tag) => tag !== '') };
          await (old === undefined
            ? api.agents.memories.create(agent, change, { organization: org })
            : api.agents.memories.update(agent, old.id, change, { organization: org }));
          await onSaved();
          onClose();
        }}
      >
        <Area label="Text" name="text" required autoFocus rows={5} maxLength={8192} defaultValue={old?.text ?? ''} />
        <Field label="Tags" name="tags" defaultValue={old?.tags.join(' ') ?? ''} hint="Separated by spaces." />
      </Form>
    </Dialog>
  );
}
