import { type ArtifactError, type ArtifactSink, MAX_ARTIFACTS } from '../../domain/artifacts.js';
import { DeliveryReader } from '../../languages/deliveries.js';
import { type ArtifactsWanted } from './session-process.js';

/** The agent sends 256 KiB at a time, and up to 64 KiB of the next file with its header. */
const MAX_PIECE_BYTES = 384 * 1024;
const NOTHING = Buffer.alloc(0);

/** Asks the agent for the first piece within these bounds, or for the next one. */
type AskForPiece = (bounds?: { readonly files: number; readonly bytes: number }) => Promise<Buffer>;

/**
 * Takes the artifacts of a session piece by piece, so that neither this process nor the agent holds a file, and other
 * requests are answered in between. The pieces are untrusted: they are read as those of any program. The headers in one
 * are read without a pause, so that nothing larger is read than the agent sends.
 *
 * @param signal ends it when it is aborted, whether or not the agent answers.
 */
export async function collectArtifacts(
  { bytes, withinMs }: ArtifactsWanted,
  sink: ArtifactSink,
  ask: AskForPiece,
  signal?: AbortSignal,
): Promise<readonly ArtifactError[]> {
  const reader = new DeliveryReader({ artifactBytes: bytes }, sink);
  const untilMs = performance.now() + withinMs;
  try {
    let piece = await answerOr(signal, ask({ files: MAX_ARTIFACTS, bytes }));
    while (piece.length > 0 && piece.length <= MAX_PIECE_BYTES) {
      await reader.take(piece);
      if (reader.isOver || signal?.aborted === true || performance.now() >= untilMs) break;
      piece = await answerOr(signal, ask());
    }
  } catch {
    // The session has ended, or could not read its files. What came before is whole.
  }
  return (await reader.end()).errors;
}

/** Returns the answer, and nothing when the signal is aborted before it comes. */
function answerOr(signal: AbortSignal | undefined, answer: Promise<Buffer>): Promise<Buffer> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      resolve(NOTHING);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void answer.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', stop);
    });
  });
}
