import type { ReactNode } from 'react';
import { useMe } from '../data/me';
import { ButtonLink } from '../ui/button';
import { CopyLine } from '../ui/copy';
import { Empty } from '../ui/empty';

/** What stands where models would be, when this service is connected to none. */
export function NoModels(): ReactNode {
  const isOperator = useMe()?.user.operator === true;
  return (
    <Empty icon="ai" title="No models yet" action={<ButtonLink href="/docs/ai">How models are set up</ButtonLink>}>
      <p>
        {isOperator ? 'Connect' : 'The operator of this service connects'} a server that runs models, such as Ollama,
        with one setting. An account at OpenRouter works too, with <code className="font-mono">OPENROUTER_API_KEY</code>
        .
      </p>
      <div className="mt-4">
        <CopyLine text="MODEL_ROUTER_URL=http://127.0.0.1:11434/v1" label="The setting that connects Ollama" />
      </div>
    </Empty>
  );
}
