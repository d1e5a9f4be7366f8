import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { COLOURS, LOOK } from './editor-look';

export interface OpenEditor {
  /** Replaces the text, which can be undone. Nothing happens where it is the same. */
  setCode(code: string): void;
  /** Puts the cursor at a place of the text, and the focus into the editor. */
  moveTo(index: number): void;
  close(): void;
}

export interface EditorOptions {
  readonly code: string;
  readonly label: string;
  readonly onChange: (code: string) => void;
}

/**
 * Within a shadow root the styles of CodeMirror are adopted style sheets, which the content security policy allows. In
 * the page itself they would be a `<style>` element, which it does not.
 *
 * @param language What makes it the editor of a language.
 */
export function openEditor(
  host: HTMLElement,
  { code, label, onChange }: EditorOptions,
  language: readonly Extension[],
): OpenEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: code,
      extensions: [
        // The page runs the text at this key; the editor would begin a line.
        keymap.of([{ key: 'Mod-Enter', run: () => true }, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        language,
        syntaxHighlighting(COLOURS),
        LOOK,
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setCode(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    moveTo(index) {
      const anchor = Math.max(0, Math.min(index, view.state.doc.length));
      view.dispatch({ selection: { anchor }, scrollIntoView: true });
      view.focus();
    },
    close() {
      view.destroy();
    },
  };
}
