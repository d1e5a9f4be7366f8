import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { as, expectStatus, Make, uniqueName } from '../support/make.js';
import { mailsOf, mailTo, parseMail } from '../support/mailbox.js';
import { eventually, useApp } from '../support/test-app.js';

describe('with MAILER=log', () => {
  const app = useApp({ DASHBOARD_URL: 'http://app.test' });
  const make = new Make(app);

  it('writes messages to private files, and logs their path without recipient or content', async () => {
    const { user } = await make.person();
    const mail = await mailTo(app, user.email, 'Verify');
    expect(mail).toMatchObject({ mode: 0o600, subject: 'Verify your email address' });
    expect(mail.text).toContain(`Hello ${user.username},`);
    expect(mail.text).toContain(`http://app.test/verify-email#token=${mail.token}`);
    expect(mail.token).toMatch(/^svc_mail_[0-9A-Za-z]{39}$/);
    // Whole, so that it can be copied from the file.
    expect(readFileSync(mail.file, 'utf8')).toContain(`\n${mail.token}\n`);

    await eventually(() => app.log().some(({ file }) => file === mail.file), 'the log says where the message is');
    const log = JSON.stringify(app.log());
    expect(app.log().find(({ file }) => file === mail.file)).toMatchObject({ about: user.id });
    expect(log).not.toContain(user.email);
    expect(log).not.toContain(mail.token);
  });

  it('stores no token in the database or the queue', async () => {
    const { user } = await make.person();
    const { token } = await mailTo(app, user.email, 'Verify');
    const rows = JSON.stringify(
      await make.sql(
        `SELECT t.*, encode(t.token_hash, 'escape') AS text, o.envelope FROM email_tokens t LEFT
          JOIN outbox_messages o ON true`,
      ),
    );
    expect(rows).not.toContain(token);
    expect(await make.sql('SELECT count(*)::int AS n FROM email_tokens WHERE user_id = $1', [user.id])).toEqual([
      { n: 1 },
    ]);
  });
});

describe('with MAILER=smtp', () => {
  const received: { from: string; to: string[]; source: string }[] = [];
  let refusals = 1;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      if (address.startsWith('later') && refusals-- > 0)
        done(Object.assign(new Error(`try later: ${address}`), { responseCode: 451 }));
      else done();
    },
    onData: (stream, { envelope }, done) => {
      let source = '';
      stream.on('data', (chunk: Buffer) => {
        source += chunk.toString();
      });
      stream.on('end', () => {
        received.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          source,
        });
        done();
      });
    },
  });
  const settings: NodeJS.ProcessEnv = { MAILER: 'smtp', MAIL_FROM: 'Acme <no-reply@acme.example>' };
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    settings['SMTP_URL'] = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  });
  afterAll(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      }),
  );
  const app = useApp(settings);
  const make = new Make(app);

  it('delivers a message with a working token', async () => {
    const person = await make.person();
    await eventually(() => received.some(({ to }) => to.includes(person.user.email)), 'the message arrives', 10_000);
    const { from, source } = received.find(({ to }) => to.includes(person.user.email))!;
    expect(from).toBe('no-reply@acme.example');
    expect(source).toMatch(/^From: Acme <no-reply@acme\.example>\r$/m);
    expect(source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expectStatus(200, await app.post('/api/v1/auth/verify-email', { token: parseMail(source).token }));
    expect((await app.fetch('/api/v1/me', as(person))).body.data.user.email_verified).toBe(true);
    expect(mailsOf(app)).toEqual([]);
  });

  it('retries when the mail server is not ready, and does not log the recipient', async () => {
    const { user } = await make.person({ username: uniqueName('later') });
    await eventually(
      () => received.some(({ to }) => to.includes(user.email)),
      'the message arrives at the second try',
      15_000,
    );
    const failure = app.log().find(({ queue, level }) => queue === 'auth-mail' && level === 'error');
    expect(JSON.stringify(failure)).toContain('451');
    expect(JSON.stringify(app.log())).not.toContain(user.email);
  });
});
