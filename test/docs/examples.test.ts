import { Make } from '../support/make.js';
import { type Answer, useApp } from '../support/test-app.js';

const OPERATOR_TOKENS: Readonly<Record<string, string>> = {
  ops_token: 'ops-token-of-the-tests-0123456789',
  metrics_token: 'metrics-token-of-the-tests-0123456789',
  usage_token: 'usage-token-of-the-tests-0123456789',
};

/** The answers of the guards to the wrong credential or none, and to a scope that the credential lacks. */
const REFUSED_CREDENTIAL = [
  'missing_api_key',
  'invalid_api_key',
  'session_required',
  'session_token_not_allowed',
  'invalid_session',
  'invalid_token',
  'insufficient_scopes',
];
/** The answers to a request that is not what the route takes. */
const REFUSED_REQUEST = [
  'invalid_request',
  'malformed_json',
  'unsupported_media_type',
  'payload_too_large',
  'route_not_found',
];

/** Fewer than pages of one person may send in a second. */
const CALLS_OF_A_PERSON = 20;
/** What a browser sends with the calls of a page of this service. */
const OF_A_PAGE = { 'x-service-session': 'cookie', 'sec-fetch-site': 'same-origin' };

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly schemes: readonly string[];
  readonly parameters: readonly { in: string; name: string; example?: unknown; schema: Record<string, unknown> }[];
  /** The examples by name; a route without a body has one without a name. */
  readonly bodies: Readonly<Record<string, unknown>>;
  readonly hasBody: boolean;
  /** Other bodies than JSON are sent as they are. */
  readonly contentType: string;
}

describe('the examples of the API reference', () => {
  const app = useApp(
    {
      OPS_TOKEN: OPERATOR_TOKENS['ops_token'],
      METRICS_TOKEN: OPERATOR_TOKENS['metrics_token'],
      USAGE_TOKEN: OPERATOR_TOKENS['usage_token'],
      ANONYMOUS_CALLS_PER_SECOND: '1000',
    },
    'api',
  );
  const make = new Make(app);
  let operations: Operation[];
  let schemas: Record<string, any>;

  beforeAll(async () => {
    const document = (await app.fetch('/api/v1/openapi.json')).body;
    schemas = document.components.schemas;
    operations = Object.entries<Record<string, any>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters, requestBody, security }]) => {
        const [contentType = '', media = {}] = Object.entries<any>(requestBody?.content ?? {})[0] ?? [];
        const { example = media.schema?.example, examples } = media;
        const named = Object.entries<any>(examples ?? { example: { value: example } });
        return {
          method: method.toUpperCase(),
          path,
          schemes: security.flatMap((alternative: object) => Object.keys(alternative)),
          parameters: parameters ?? [],
          bodies: Object.fromEntries(named.map(([name, { value }]) => [name, value])),
          hasBody: requestBody !== undefined,
          contentType,
        };
      }),
    );
  });

  async function newTokens(): Promise<Readonly<Record<string, string>>> {
    const person = await make.person({ plan: 'enterprise' });
    const body = { login: person.user.username, password: person.password };
    const signedIn = await app.post('/api/v1/auth/sign-in', body, { headers: OF_A_PAGE });
    const [cookie = ''] = signedIn.headers.getSetCookie()[0]!.split(';');
    return {
      ...OPERATOR_TOKENS,
      session: person.sessionToken,
      session_cookie: cookie,
      api_key: await make.key(person),
    };
  }

  function send(
    { method, path, parameters, hasBody, contentType }: Operation,
    body: unknown,
    scheme?: string,
    token?: string,
  ): Promise<Answer> {
    const valueOf = ({ name }: { name: string }): string =>
      encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)!.example));
    const query = parameters
      .filter((parameter) => parameter.in === 'query')
      .map(
        (parameter) =>
          `${parameter.name}=${encodeURIComponent(String(parameter.example ?? parameter.schema['example']))}`,
      );
    const target =
      path.replace(/\{(\w+)\}/g, (_all, name: string) => valueOf({ name })) +
      (query.length === 0 ? '' : `?${query.join('&')}`);
    return app.call(method, target, {
      headers: {
        ...credentialOf(scheme, token),
        ...(hasBody ? { 'content-type': contentType } : {}),
      },
      ...(hasBody ? { body: contentType === 'application/json' ? JSON.stringify(body) : String(body) } : {}),
    });
  }

  function credentialOf(scheme?: string, token?: string): Record<string, string> {
    if (token === undefined) return {};
    return scheme === 'session_cookie' ? { ...OF_A_PAGE, cookie: token } : { authorization: `Bearer ${token}` };
  }

  const codeOf = (answer: Answer): string => String(answer.body?.error?.code ?? answer.status);

  it('are there for every parameter and for every field of a body', () => {
    const missing = operations.flatMap(({ method, path, parameters, bodies, hasBody }) => [
      ...parameters
        .filter((parameter) => parameter.example === undefined && parameter.schema['example'] === undefined)
        .map((parameter) => `${method} ${path}: ${parameter.name}`),
      ...(hasBody && Object.values(bodies).some((body) => body === undefined) ? [`${method} ${path}: body`] : []),
    ]);
    const bodySchemas = Object.entries(schemas).filter(([name]) => /(Body|Request)$/.test(name));
    const fields = bodySchemas.flatMap(([name, { properties }]) =>
      Object.entries<any>(properties)
        .filter(([, { example, items }]) => example === undefined && items?.$ref === undefined)
        .map(([field]) => `${name}.${field}`),
    );
    expect([...missing, ...fields]).toEqual([]);
    expect(bodySchemas.length).toBeGreaterThan(35);
  });

  it('are taken as requests, with each credential that the operation names', async () => {
    const refused: string[] = [];
    let calls = 0;
    let tokens = await newTokens();
    for (const operation of operations) {
      for (const scheme of operation.schemes.length === 0 ? [undefined] : operation.schemes) {
        for (const [name, body] of Object.entries(operation.bodies)) {
          const answer = await send(operation, body, scheme, scheme === undefined ? undefined : tokens[scheme]);
          calls++;
          // Some of these end the session that they are called with, and nobody may send all calls at once.
          const endsSession = operation.path.startsWith('/api/v1/auth/') && operation.method !== 'GET';
          if (endsSession || calls % CALLS_OF_A_PERSON === 0) tokens = await newTokens();
          const code = codeOf(answer);
          if ([...REFUSED_CREDENTIAL, ...REFUSED_REQUEST, 'burst_limit_exceeded', 'internal_error'].includes(code))
            refused.push(`${operation.method} ${operation.path} (${scheme}, ${name}): ${answer.text.slice(0, 600)}`);
        }
      }
    }
    expect(refused).toEqual([]);
    expect(calls).toBeGreaterThan(110);
  }, 120_000);

  it('are refused without a credential exactly where the operation names one', async () => {
    const wrong: string[] = [];
    for (const operation of operations) {
      const answer = await send(operation, Object.values(operation.bodies)[0]);
      const isRefused = REFUSED_CREDENTIAL.includes(codeOf(answer));
      // The answer to HEAD has no code.
      if (operation.method !== 'HEAD' && isRefused !== operation.schemes.length > 0)
        wrong.push(`${operation.method} ${operation.path}: ${codeOf(answer)}`);
    }
    expect(wrong).toEqual([]);
  });
});
