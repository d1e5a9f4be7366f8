import { Injectable } from '@nestjs/common';
import { Mailer, MailNotSent } from '../../../platform/mail/mailer.js';
import type { CallingRun, ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import { type Person, PersonDirectory } from '../../auth/person-directory.js';
import { AttemptLimitService } from '../../limits/attempt-limit.service.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { storable } from './bounded-text.js';
import { failed, inputOf, SingleTool, succeeded } from './single-tool.js';

const DAY_SECONDS = 86_400;
const A_DAY_BY_AGENT = 20;
/** However many agents write to a person. */
const A_DAY_TO_PERSON = 50;
const MAX_SUBJECT_LENGTH = 200;
const MAX_TEXT_BYTES = 32_768;
const STARTER = 'starter';

interface Input {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Writes to members of the organization, and to nobody else. */
@Injectable()
export class SendMailTool extends SingleTool {
  readonly name = 'send_mail';
  readonly summary = 'Sends e-mail to members of the organization.';
  readonly description =
    `Sends a message of plain text to a member of the organization: their username, or "${STARTER}" for the person ` +
    `who started the run. An agent can send ${A_DAY_BY_AGENT} messages a day.`;
  readonly inputSchema = inputOf({
    to: { type: 'string', minLength: 1, maxLength: 100 },
    subject: { type: 'string', minLength: 1, maxLength: MAX_SUBJECT_LENGTH },
    text: { type: 'string', minLength: 1, maxLength: MAX_TEXT_BYTES },
  });
  readonly effect = 'once';
  override readonly isOutward = true;

  constructor(
    tools: AgentTools,
    private readonly orgs: OrgDirectory,
    private readonly people: PersonDirectory,
    private readonly limits: AttemptLimitService,
    private readonly mailer: Mailer,
  ) {
    super();
    tools.register(this);
  }

  protected async call({ input, caller, run }: ToolCall): Promise<ToolOutcome> {
    const { to, subject, text } = input as unknown as Input;
    if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject)) return failed('subject_invalid', 'subject must be one line.');
    if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
      return failed('text_too_long', `text must have at most ${MAX_TEXT_BYTES} bytes of UTF-8.`);
    const member = await this.memberOf(run.orgId, to === STARTER ? caller.principal.user.username : to);
    if (member === undefined) return failed('member_not_found', 'The organization has no member with this username.');
    // People could otherwise be written to by signing up with their address.
    if (!member.emailVerified) return failed('email_not_verified', 'The member has not verified an e-mail address.');
    const refusal = await this.limited(run.agentId, member.id);
    return refusal ?? this.send(run, member, { subject, text });
  }

  private async memberOf(orgId: string, username: string): Promise<Person | undefined> {
    const usernames = await this.people.usernamesOf(await this.orgs.memberIdsOf(orgId));
    const [id] = [...usernames].find(([, each]) => each.toLowerCase() === username.toLowerCase()) ?? [];
    return id === undefined ? undefined : this.people.find(id);
  }

  private async limited(agentId: string, memberId: string): Promise<ToolOutcome | undefined> {
    const byAgent = { name: 'agent-mails', attempts: A_DAY_BY_AGENT, periodSeconds: DAY_SECONDS };
    const toPerson = { name: 'agent-mails-to', attempts: A_DAY_TO_PERSON, periodSeconds: DAY_SECONDS };
    const refused = (await this.limits.take(byAgent, agentId)) ?? (await this.limits.take(toPerson, memberId));
    if (refused === undefined) return undefined;
    return failed('mail_limit_reached', `The limit of ${refused.limit} messages a day is reached. Nothing was sent.`);
  }

  private async send(run: CallingRun, member: Person, mail: { subject: string; text: string }): Promise<ToolOutcome> {
    const org = (await this.orgs.nameOf(run.orgId)) ?? run.orgId;
    const footer = `-- \nWritten by the agent ${run.agentId} of the organization "${org}", in the run ${run.id}.\n`;
    try {
      await this.mailer.send({
        to: member.email,
        about: run.id,
        subject: `[Agent] ${storable(mail.subject)}`,
        text: `${storable(mail.text).trimEnd()}\n\n${footer}`,
      });
    } catch (error) {
      if (!(error instanceof MailNotSent)) return { kind: 'unknown', message: 'The message may have been sent.' };
      return failed('mail_not_sent', 'No mail server accepted the message.');
    }
    return succeeded({ sent_to: member.username });
  }
}
