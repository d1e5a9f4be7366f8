import { listFiles } from '../lib/bucket';
import { remove, upload } from './actions';

// Each visit shows what is in the bucket now.
export const dynamic = 'force-dynamic';

const IMAGE = /\.(avif|gif|jpe?g|png|webp)$/i;

export default async function Files() {
  const files = await listFiles();
  return (
    <main>
      <h1>Files</h1>
      <form action={upload}>
        <label>
          Files, at most 4 MB each
          <input type="file" name="files" multiple required />
        </label>
        <button>Upload</button>
      </form>
      {files.length === 0 ? (
        <p>No files yet.</p>
      ) : (
        <ul>
          {files.map(({ key, bytes }) => (
            <li key={key}>
              {IMAGE.test(key) && <img src={`/files/${key}`} alt="" loading="lazy" />}
              <a href={`/files/${key}`}>{key.slice(key.indexOf('/') + 1)}</a>
              <span>{(bytes / 1_000).toFixed(1)} kB</span>
              <form action={remove}>
                <input type="hidden" name="key" value={key} />
                <button aria-label={`Delete ${key}`}>Delete</button>
              </form>
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}
