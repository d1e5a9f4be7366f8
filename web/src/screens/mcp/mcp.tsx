import { type ReactNode, useState } from 'react';
import { addressOf, type ClientSetup, setupsOf } from '../../mcp/client-setups';
import { CodeBlock } from '../../ui/code-block';
import { CopyLine } from '../../ui/copy';
import { Icon } from '../../ui/icons';
import { Page } from '../../ui/page';
import { ScreenLink } from '../../ui/screen-link';

interface Params {
  readonly org: string;
}

export function Screen({ org }: Params): ReactNode {
  const [readOnly, setReadOnly] = useState(true);
  const { origin } = location;
  const address = addressOf(origin, org, readOnly);
  return (
    <Page title="MCP">
      <p className="mb-4 max-w-2xl">
        Connect an assistant to this organization. It gets tools that do what the API does, with the permissions of an{' '}
        <ScreenLink to="keys" params={{ org }} className="link">
          API key
        </ScreenLink>{' '}
        or of the consent that you give in the browser, which stands under{' '}
        <ScreenLink to="connectedApps" params={{ org }} className="link">
          Connected apps
        </ScreenLink>
        .{' '}
        <a className="link" href="/docs/mcp">
          All tools
        </a>
      </p>
      <label className="mb-4 flex min-h-6 items-center gap-2">
        <input
          type="checkbox"
          checked={readOnly}
          onChange={({ target }) => {
            setReadOnly(target.checked);
          }}
          className="size-4 accent-[var(--accent)]"
        />
        Only tools that change nothing and send nothing out
      </label>
      <CopyLine text={address} label="The address of the tools" />
      <div className="mt-8 grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-8">
        {setupsOf(address, { origin, org, readOnly }).map((setup) => (
          <Setup key={setup.client} setup={setup} />
        ))}
      </div>
    </Page>
  );
}

function Setup({ setup: { client, where, text, install } }: { readonly setup: ClientSetup }): ReactNode {
  return (
    <section aria-label={client}>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-lg font-medium">{client}</h2>
        {install !== undefined && (
          <a href={install} className="link inline-flex min-h-6 items-center gap-1.5">
            Install in {client}
            <Icon name="out" size={14} />
          </a>
        )}
      </div>
      <p className="text-muted mb-2">{where}</p>
      <CodeBlock text={text} label={`The text for ${client}`} wrap />
    </section>
  );
}
