import { Injectable } from '@nestjs/common';
import { type Article, renderMarkdown } from '../../docs/markdown.js';
import { PageNotFound } from '../../site/site.errors.js';
import type { Runbook, RunbookStep } from '../manifest/runbook.js';
import { Runbooks } from '../manifest/runbooks.js';

/** Renders runbooks as pages. */
@Injectable()
export class RunbookPages {
  constructor(private readonly runbooks: Runbooks) {}

  /** @throws {PageNotFound} `page_not_found` */
  page(id: string): Article {
    const runbook = this.runbooks.all.find((each) => each.id === id);
    if (runbook === undefined) throw new PageNotFound();
    return renderMarkdown(markdownOf(runbook));
  }
}

function markdownOf({ title, summary, severity, appliesTo, background, steps, escalation }: Runbook): string {
  return [
    `# ${title}`,
    summary,
    appliesTo.alertnames.length === 0
      ? `Severity ${severity}. For tasks that the service opens itself.`
      : `Severity ${severity}. For the alerts ${appliesTo.alertnames.map((name) => `\`${name}\``).join(', ')}.`,
    background,
    '## Steps',
    steps.map(stepOf).join('\n'),
    '## Escalate when',
    escalation,
  ].join('\n\n');
}

function stepOf({ n, kind, text, command, expect, risk }: RunbookStep): string {
  const request =
    command === undefined
      ? []
      : [
          `\`${command.method} ${command.path}\`` +
            (command.body === undefined ? '' : ` with \`${JSON.stringify(command.body)}\``),
        ];
  const expected = expect === undefined ? [] : [`Expect: ${expect}`];
  return [`${n}. **${kind}** (${risk}): ${text}`, ...request, ...expected].join('<br>\n   ');
}
