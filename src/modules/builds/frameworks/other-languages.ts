import { type Source } from './source.js';

interface OtherLanguage {
  /** A name at the top, or a path of up to three names. */
  readonly file: RegExp;
  readonly title: string;
}

/** Files of languages and site generators that builds do not run, the most exact first. */
const OTHER_LANGUAGES: readonly OtherLanguage[] = [
  { file: /^(?:hugo\.(?:toml|ya?ml|json)|archetypes\/default\.md)$/, title: 'a Hugo site' },
  { file: /^_config\.ya?ml$/, title: 'a Jekyll site' },
  { file: /^mkdocs\.ya?ml$/, title: 'an MkDocs site' },
  { file: /^(?:composer\.json|(?:public\/)?index\.php)$/, title: 'a PHP project' },
  { file: /^(?:gemfile|config\.ru)$/, title: 'a Ruby project' },
  { file: /^go\.mod$/, title: 'a Go module' },
  { file: /^cargo\.toml$/, title: 'a Rust project' },
  { file: /^(?:pom\.xml|build\.gradle(?:\.kts)?)$/, title: 'a Java project' },
  { file: /^(?:[^/]{1,200}\/)?[^/]{1,200}\.(?:csproj|fsproj)$|^[^/]{1,200}\.sln$/, title: 'a .NET project' },
  { file: /^mix\.exs$/, title: 'an Elixir project' },
  { file: /^pubspec\.ya?ml$/, title: 'a Dart or Flutter project' },
  { file: /^package\.swift$/, title: 'a Swift package' },
  { file: /^deno\.jsonc?$/, title: 'a Deno project' },
];

const PAGES = /^(?:(?:dist|build|out|_site|www|public)\/)?index\.html?$/;

/** Names the languages and site generators of a source that builds do not run. */
export const otherLanguagesOf = (source: Source): string[] =>
  OTHER_LANGUAGES.filter(({ file }) => source.someFile(file)).map(({ title }) => title);

/** True when a source is for another language and has no front page of its own, so that its files are no site. */
export const isForAnotherLanguage = (source: Source): boolean =>
  !source.someFile(PAGES) && otherLanguagesOf(source).length > 0;
