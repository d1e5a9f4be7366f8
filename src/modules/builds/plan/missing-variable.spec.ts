import { missingVariable } from './missing-variable.js';

const said = (output: string, set: readonly string[] = []): string | null =>
  missingVariable(output.split('\n'), { target: 'production', isSet: (name) => set.includes(name) });

const sentence = (name: string): string =>
  `the variable ${name} is not set for production. Set it with service env set ${name} --target production, or on ` +
  'the page Variables in the settings of the project. See /docs/builds#variables.';

const PRISMA = `Prisma schema loaded from prisma/schema.prisma
Error: Prisma schema validation - (get-config wasm)
Error code: P1012
error: Environment variable not found: DATABASE_URL.
  -->  prisma/schema.prisma:10
   |
 9 |   provider = "postgresql"
10 |   url      = env("DATABASE_URL")
   |
Validation Error Count: 1`;

const PRISMA_CONFIG = `Failed to load config file "/work/source" as a TypeScript/JavaScript module.
Error: PrismaConfigEnvError: Cannot resolve environment variable: DIRECT_URL.`;

const NEXT = `   Collecting page data ...
Error: Missing required environment variable: STRIPE_SECRET_KEY
    at <unknown> (.next/server/app/api/checkout/route.js:1:2203)
    at Object.<anonymous> (.next/server/app/api/checkout/route.js:1:2420)

> Build error occurred
[Error: Failed to collect page data for /api/checkout] { type: 'Error' }`;

const OPENAI =
  'Error: The OPENAI_API_KEY environment variable is missing or empty; either provide it, or instantiate the OpenAI ' +
  "client with an apiKey option, like new OpenAI({ apiKey: 'My API Key' }).";

const VERCEL_POSTGRES =
  "VercelPostgresError: VercelPostgresError - 'missing_connection_string': You did not supply a 'connectionString' " +
  "and no 'POSTGRES_URL' env var was found.";

const SVELTEKIT =
  'src/routes/+page.server.ts (1:9): "API_SECRET" is not exported by "virtual:env/static/private", imported by ' +
  '"src/routes/+page.server.ts".';

const T3 = `❌ Invalid environment variables: [
  {
    code: 'invalid_type',
    expected: 'string',
    received: 'undefined',
    path: [ 'DATABASE_URL' ],
    message: 'Required'
  },
  {
    code: 'invalid_format',
    format: 'url',
    path: [ 'NEXTAUTH_URL' ],
    message: 'Invalid URL'
  }
]
[Error: Invalid environment variables]
    at <unknown> (src/env.js:12:27)`;

const T3_OLD = `❌ Invalid environment variables: { DATABASE_URL: [ 'Required' ], AUTH_SECRET: [ 'Required' ] }
file:///work/source/node_modules/@t3-oss/env-core/dist/index.js:40
Error: Invalid environment variables`;

const ZOD = `web:build: Invalid environment variables:
web:build: ZodError: [
web:build:   {
web:build:     "code": "invalid_type",
web:build:     "path": [
web:build:       "REDIS_URL"
web:build:     ],
web:build:     "message": "Required"
web:build:   }
web:build: ]`;

const ENVALID = `================================
 Missing environment variables:
    API_HOST: undefined
    PORT: undefined
================================

 Exiting with error code 1`;

const ASTRO = `[EnvInvalidVariables] Invalid Environment Variables
  The following environment variables defined in \`env.schema\` are invalid:

  - API_URL is missing
  Hint:
    See https://docs.astro.build/en/guides/environment-variables/
  Stack trace:
    at runHookConfigSetup (file:///work/source/node_modules/astro/dist/x.js:1:1)`;

describe('the variable that a failed command missed', () => {
  it.each([
    ['Prisma', PRISMA, 'DATABASE_URL'],
    ['the configuration of Prisma', PRISMA_CONFIG, 'DIRECT_URL'],
    ['Next.js', NEXT, 'STRIPE_SECRET_KEY'],
    ['OpenAI', OPENAI, 'OPENAI_API_KEY'],
    ['Vercel Postgres', VERCEL_POSTGRES, 'POSTGRES_URL'],
    ['SvelteKit', SVELTEKIT, 'API_SECRET'],
    ['zod below Turborepo', ZOD, 'REDIS_URL'],
    ['Astro', ASTRO, 'API_URL'],
    ['a check by hand', 'Error: process.env.apiUrl is not defined', 'apiUrl'],
    ['a check of Vite', 'Error: import.meta.env.VITE_API is required', 'VITE_API'],
    ['an example of Next.js', 'Error: Invalid/Missing environment variable: "MONGODB_URI"', 'MONGODB_URI'],
    ['a check with a subject', 'Error: Environment variable `S3_BUCKET` not set', 'S3_BUCKET'],
    ['an expression', 'Error: Missing env.NEXT_PUBLIC_SUPABASE_URL', 'NEXT_PUBLIC_SUPABASE_URL'],
    ['django-environ', 'ImproperlyConfigured: Set the SECRET_KEY environment variable', 'SECRET_KEY'],
    ['decouple', 'decouple.UndefinedValueError: SECRET_KEY not found. Declare it as envvar', 'SECRET_KEY'],
  ])('is named after the output of %s', (_tool, output, name) => {
    expect(said(output)).toBe(sentence(name));
  });

  it.each([
    ['t3-env', T3, 'DATABASE_URL, NEXTAUTH_URL'],
    ['an older t3-env', T3_OLD, 'DATABASE_URL, AUTH_SECRET'],
    ['envalid', ENVALID, 'API_HOST, PORT'],
    [
      'one line',
      'Error: Missing required environment variables: A_ONE, A_TWO, A_THREE, A_FOUR',
      'A_ONE, A_TWO, A_THREE',
    ],
  ])('is named with the others after the output of %s', (_tool, output, names) => {
    expect(said(output)).toContain(`the variables ${names}`);
    expect(said(output)).toContain(' are not set for production. Set each with service env set ');
  });

  it('counts those beyond the third', () => {
    const names = Array.from({ length: 9 }, (_, index) => `NAME_${index}`);
    expect(said(`Missing environment variables: ${names.join(', ')}`)).toContain(
      'NAME_0, NAME_1, NAME_2 and 6 more are',
    );
  });

  it('is only one that is not set, unless the value is refused', () => {
    expect(said(T3, ['NEXTAUTH_URL'])).toBe(sentence('DATABASE_URL'));
    expect(said(T3, ['NEXTAUTH_URL', 'DATABASE_URL'])).toMatch(
      /^the variables DATABASE_URL, NEXTAUTH_URL are set, and refused by the project\. Correct each with /,
    );
    expect(said(NEXT, ['STRIPE_SECRET_KEY'])).toBeNull();
  });

  it('names the target of the deploy', () => {
    expect(missingVariable(PRISMA.split('\n'), { target: 'preview', isSet: () => false })).toMatch(
      /not set for preview\. .* --target preview,/,
    );
  });

  it.each([
    ['', 'nothing'],
    ['ReferenceError: WINDOW is not defined', 'a fault of the code'],
    ['warn: Environment variable SENTRY_TOKEN is not set', 'a warning'],
    ['Error: Missing environment variable: $(reboot)', 'what is no name'],
    ['Error: Invalid environment variables', 'no name at all'],
    ['Type error: Property A is missing in type B but required in type C', 'a fault of types'],
  ])('is unknown after %j: %s', (output) => {
    expect(said(output)).toBeNull();
  });

  it('is searched for in a time that grows with the output only', () => {
    const starts = [
      'Missing environment variables: ',
      'Invalid environment variables: {',
      '"path": [ ',
      'Environment variable ',
      'process.env.',
      'A',
      'A_',
      ', ',
      ' ',
      '{ ',
      'env.',
      'Missing required ',
      'a:',
      '- ',
    ];
    for (const start of starts) {
      const line = start.repeat(1_000).slice(0, 1_000);
      const startedAt = performance.now();
      missingVariable(Array<string>(100).fill(line), { target: 'production', isSet: () => false });
      expect(performance.now() - startedAt).toBeLessThan(1_500);
    }
  });
});
