import Link from 'next/link';

export default function Home() {
  return (
    <main>
      <h1>It runs.</h1>
      <p>
        Change <code>app/page.tsx</code>, commit and push: the branch is built and gets an address of its own.
      </p>
      <p>
        <Link href="/api/hello?name=you" prefetch={false}>
          /api/hello
        </Link>{' '}
        is an endpoint, in <code>app/api/hello/route.ts</code>.
      </p>
    </main>
  );
}
