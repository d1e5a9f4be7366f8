import { latestEntries } from '../lib/database';
import { sign } from './actions';

// Each visit shows what is in the database now.
export const dynamic = 'force-dynamic';

export default async function GuestBook() {
  const entries = await latestEntries();
  return (
    <main>
      <h1>Guest book</h1>
      <form action={sign}>
        <label>
          Name
          <input name="name" required maxLength={60} autoComplete="name" />
        </label>
        <label>
          Message
          <textarea name="message" required maxLength={500} rows={3} />
        </label>
        <button>Sign</button>
      </form>
      {entries.length === 0 ? (
        <p>Nobody has signed yet.</p>
      ) : (
        <ol>
          {entries.map(({ id, name, message, created_at }) => (
            <li key={id}>
              <p>{message}</p>
              <footer>
                {name}, <time dateTime={created_at.toISOString()}>{created_at.toISOString().slice(0, 10)}</time>
              </footer>
            </li>
          ))}
        </ol>
      )}
    </main>
  );
}
