import { StartFailure } from './start-failure.js';

const reasonOf = (...lines: string[]): string | null => {
  const failure = new StartFailure();
  for (const line of lines) failure.line(line);
  return failure.reason;
};

describe('the reason why a server did not start', () => {
  it.each([
    ['Error: connect ECONNREFUSED 127.0.0.1:5432', /^It connects to PostgreSQL on port 5432 of its own machine/],
    ['MongooseServerSelectionError: connect ECONNREFUSED ::1:27017', /^It connects to MongoDB on port 27017/],
    ["Can't reach database server at `localhost:5432`", /^It connects to PostgreSQL/],
    [
      'psycopg.OperationalError: connection to server at "127.0.0.1", port 5432 failed: Connection refused',
      /^It connects to PostgreSQL/,
    ],
    ["Can't connect to MySQL server on '127.0.0.1:3306' (111)", /^It connects to MySQL/],
    ['error: Environment variable not found: DATABASE_URL.', /^It asks for the variable DATABASE_URL/],
    ['Error: JWT_SECRET is not defined', /^It asks for the variable JWT_SECRET/],
    ['Error: Missing required environment variable: STRIPE_KEY', /^It asks for the variable STRIPE_KEY/],
    ["  AUTH_SECRET: [ 'Required' ],", /^It asks for the variable AUTH_SECRET/],
    ["KeyError: 'SECRET_KEY'", /^It asks for the variable SECRET_KEY/],
    [
      'The `uri` parameter to `openUri()` must be a string, got "undefined". Make sure the first parameter',
      /^It asks for the address of its database/,
    ],
    ['sqlite3.OperationalError: no such table: post', /^Its database has no table post\. Create the tables in start_c/],
    ['error: relation "users" does not exist', /no table users\./],
    ["ER_NO_SUCH_TABLE: Table 'shop.orders' doesn't exist", /no table shop\.orders\./],
    ['The table `public.User` does not exist in the current database.', /no table public\.User\./],
    ["Error: Cannot find module 'express'", /^It did not find the package express\. Add it to the dependencies/],
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@a/b' imported from /app/x.js", /the package @a\/b\./],
    ["Error: Cannot find module '/app/dist/main.js'", /the file dist\/main\.js\. Set build_command/],
    ["ModuleNotFoundError: No module named 'flask'", /the Python module flask\./],
    ['sh: 1: tsc: not found', /^The program tsc was not found/],
    ['tsconfig.json(4,5): error TS5011: The common source directory', /^TypeScript refused .+ TS5011/],
    ['ReferenceError: Bun is not defined', /^It needs Bun, and servers run on Node\.js/],
    ["Error: EROFS: read-only file system, mkdir '/data'", /^It met a file or a directory that is read-only/],
  ])('is read from %j', (line, reason) => {
    expect(reasonOf('starting', line, '    at Module._compile (node:internal)')).toMatch(reason);
  });

  it('is that of the last line that says one', () => {
    expect(reasonOf('MAIL_TOKEN is not set, sending no mail', "Error: Cannot find module 'pg'")).toMatch(/package pg/);
  });

  it.each(['Server is missing nothing', 'connect ECONNREFUSED 93.184.216.34:443', 'X'.repeat(10_000)])(
    'is not made up from %j',
    (line) => {
      expect(reasonOf(line)).toBeNull();
    },
  );
});
