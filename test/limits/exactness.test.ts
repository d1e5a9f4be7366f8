import { Agent, request } from 'node:http';
import { randomAddress, useApp } from '../support/test-app.js';

const BUDGET = 1_500;
const CONNECTIONS = 8;
const CALLS_EACH = 1_000;

describe('a daily budget of 1,500 calls', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_DAY: String(BUDGET), ANONYMOUS_CALLS_PER_SECOND: '1000000' });

  it('grants exactly 1,500 of 8,000 calls that come at once over eight connections', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const from = randomAddress();
    const call = (): Promise<{ status: number; remaining: string }> =>
      new Promise((resolve, reject) => {
        request(`${app.url}/api/v1`, { agent, headers: { 'x-forwarded-for': from } }, (answer) => {
          answer.resume().once('end', () => {
            resolve({ status: answer.statusCode!, remaining: String(answer.headers['x-service-calls-remaining']) });
          });
        })
          .once('error', reject)
          .end();
      });
    const answers = await Promise.all(Array.from({ length: CONNECTIONS * CALLS_EACH }, call));
    agent.destroy();

    const granted = answers.filter(({ status }) => status === 200);
    expect(granted).toHaveLength(BUDGET);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(CONNECTIONS * CALLS_EACH - BUDGET);
    // Each allowed call got a different remaining number, from 1,499 down to 0.
    expect(new Set(granted.map(({ remaining }) => remaining)).size).toBe(BUDGET);
  }, 60_000);
});
