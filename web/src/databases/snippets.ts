interface Snippet {
  readonly name: string;
  readonly code: string;
}

/** How programs connect. Only the shell needs the address itself; programs read it from their environment. */
export function snippetsOf(url: string): readonly Snippet[] {
  return [
    { name: 'psql', code: `psql '${url}'` },
    {
      name: 'Node.js',
      code: [
        "import pg from 'pg';",
        '',
        'const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });',
        "const { rows } = await pool.query('SELECT now()');",
      ].join('\n'),
    },
    {
      name: 'Python',
      code: [
        'import os, psycopg',
        '',
        'with psycopg.connect(os.environ["DATABASE_URL"]) as connection:',
        '    print(connection.execute("SELECT now()").fetchone())',
      ].join('\n'),
    },
    {
      name: 'Go',
      code: [
        'pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))',
        '',
        'var now time.Time',
        'err = pool.QueryRow(ctx, "SELECT now()").Scan(&now)',
      ].join('\n'),
    },
    {
      name: 'Prisma',
      code: ['datasource db {', '  provider = "postgresql"', '  url      = env("DATABASE_URL")', '}'].join('\n'),
    },
  ];
}
