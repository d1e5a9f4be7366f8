import { Fragment, type ReactNode } from 'react';
import { CodeBlock } from '../ui/code-block';

/** The text of a model: blocks of code, code in lines and what is bold are shown as such, and all else as it is. */
export function AnswerText({ text }: { readonly text: string }): ReactNode {
  return blocksOf(text).map(({ code, body }, index) =>
    code ? (
      <CodeBlock key={index} text={body} label={`Code ${index}`} />
    ) : (
      <p key={index} className="break-words whitespace-pre-wrap">
        {spansOf(body)}
      </p>
    ),
  );
}

interface Block {
  readonly code: boolean;
  readonly body: string;
}

/** Blocks of code stand between lines that begin with three backticks. The last one may not have ended yet. */
function blocksOf(text: string): readonly Block[] {
  const blocks: { code: boolean; lines: string[] }[] = [{ code: false, lines: [] }];
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('```')) blocks.push({ code: !blocks.at(-1)!.code, lines: [] });
    else blocks.at(-1)!.lines.push(line);
  }
  return blocks
    .map(({ code, lines }) => ({ code, body: code ? lines.join('\n') : lines.join('\n').trim() }))
    .filter(({ body }) => body !== '');
}

const SPAN = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;

function spansOf(text: string): ReactNode {
  return text.split(SPAN).map((part, index) => {
    if (index % 2 === 0) return <Fragment key={index}>{part}</Fragment>;
    if (part.startsWith('`'))
      return (
        <code key={index} className="bg-sunken rounded-sm px-1 py-0.5 font-mono text-sm">
          {part.slice(1, -1)}
        </code>
      );
    return <b key={index}>{part.slice(2, -2)}</b>;
  });
}
