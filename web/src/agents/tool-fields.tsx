import type { AgentToolKind } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toolKindsQuery } from '../data/agents';
import { Loaded } from '../ui/loaded';
import { newTool, reachOf, type ToolDraft } from './definition-draft';

interface ToolFieldsProps {
  readonly org: string;
  readonly tools: readonly ToolDraft[];
  readonly onChange: (tools: readonly ToolDraft[]) => void;
}

/** The kinds of tools. What is chosen shows its settings. */
export function ToolFields({ org, tools, onChange }: ToolFieldsProps): ReactNode {
  const kinds = useQuery(toolKindsQuery(org));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">Tools</legend>
      <Loaded query={kinds}>
        {(found) => (
          <ul className="border-line divide-line divide-y rounded-md border">
            {found.map((kind) => (
              <li key={kind.name} className="p-3">
                <Tool
                  kind={kind}
                  tool={tools.find(({ name }) => name === kind.name)}
                  onChange={(tool) => {
                    const others = tools.filter(({ name }) => name !== kind.name);
                    onChange(
                      tool === undefined
                        ? others
                        : tools.length === others.length
                          ? [...tools, tool]
                          : tools.map((each) => (each.name === kind.name ? tool : each)),
                    );
                  }}
                />
              </li>
            ))}
            {found.length === 0 && <li className="text-muted p-3">This service has no tools for agents.</li>}
          </ul>
        )}
      </Loaded>
    </fieldset>
  );
}

interface ToolProps {
  readonly kind: AgentToolKind;
  readonly tool: ToolDraft | undefined;
  readonly onChange: (tool: ToolDraft | undefined) => void;
}

function Tool({ kind, tool, onChange }: ToolProps): ReactNode {
  return (
    <>
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1"
          checked={tool !== undefined}
          onChange={({ target }) => {
            onChange(target.checked ? newTool(kind.name) : undefined);
          }}
        />
        <span className="min-w-0">
          <code className="font-mono text-sm font-medium">{kind.name}</code>
          <span className="text-muted block text-sm">{kind.summary}</span>
        </span>
      </label>
      {tool !== undefined && <ToolSettings tool={tool} onChange={onChange} />}
    </>
  );
}

function ToolSettings({
  tool,
  onChange,
}: {
  readonly tool: ToolDraft;
  readonly onChange: ToolProps['onChange'];
}): ReactNode {
  const named = (what: string): string => `${what} of ${tool.name}`;
  const reach = reachOf(tool.name);
  return (
    <div className="mt-3 grid gap-3 pl-6">
      <div className="grid gap-3 sm:grid-cols-2">
        <label className="grid gap-1">
          <span className="text-sm font-medium">Approval</span>
          <select
            className="input"
            aria-label={named('Approval')}
            value={tool.approval}
            onChange={({ target }) => {
              onChange({ ...tool, approval: target.value as ToolDraft['approval'] });
            }}
          >
            <option value="auto">When it is risky</option>
            <option value="always">Before each call</option>
            <option value="never">Never</option>
          </select>
        </label>
        <label className="grid gap-1">
          <span className="text-sm font-medium">If its outcome is unknown after a crash</span>
          <select
            className="input"
            aria-label={named('Unknown outcome')}
            value={tool.unknown_outcome}
            onChange={({ target }) => {
              onChange({ ...tool, unknown_outcome: target.value as ToolDraft['unknown_outcome'] });
            }}
          >
            <option value="ask">Ask a person</option>
            <option value="tell_model">Tell the model</option>
          </select>
        </label>
      </div>
      {reach !== undefined && (
        <label className="grid gap-1">
          <span className="text-sm font-medium">{reach.label}</span>
          <input
            className="input font-mono text-sm"
            aria-label={named(reach.label)}
            placeholder={reach.placeholder}
            value={tool.reach}
            onChange={({ target }) => {
              onChange({ ...tool, reach: target.value });
            }}
          />
        </label>
      )}
      <details open={tool.settings !== ''}>
        <summary className="text-muted text-sm">{reach === undefined ? 'Settings' : 'More settings'} (JSON)</summary>
        <textarea
          className="input mt-2 resize-y font-mono text-sm"
          rows={4}
          spellCheck={false}
          aria-label={named('Settings')}
          placeholder="{}"
          value={tool.settings}
          onChange={({ target }) => {
            onChange({ ...tool, settings: target.value });
          }}
        />
      </details>
    </div>
  );
}
