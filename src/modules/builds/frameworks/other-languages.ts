import { type Source } from './source.js';

interface OtherLanguage {
  /** A name at the top, or a path of up to three names. */
  readonly file: RegExp;
  /** A second file, where the name of the first one is used by others too. */
  readonly beside?: RegExp;
  readonly title: string;
}

/** Files of languages, programs and site generators that builds do not run, the most exact first. */
const OTHER_LANGUAGES: readonly OtherLanguage[] = [
  { file: /^(?:hugo\.(?:toml|ya?ml|json)|archetypes\/default\.md)$/, title: 'a Hugo site' },
  { file: /^_config\.ya?ml$/, title: 'a Jekyll site' },
  { file: /^mkdocs\.ya?ml$/, title: 'an MkDocs site' },
  { file: /^book\.toml$/, title: 'a book of mdBook' },
  { file: /^templates\/(?:base|index)\.html$/, beside: /^config\.toml$/, title: 'a Zola site' },
  { file: /^pelicanconf\.py$/, title: 'a Pelican site' },
  { file: /^_quarto\.ya?ml$/, title: 'a Quarto site' },
  { file: /^\.meteor\/release$/, title: 'a Meteor app' },
  { file: /^redwood\.toml$/, title: 'a RedwoodJS app' },
  { file: /^(?:composer\.json|(?:public\/)?index\.php)$/, title: 'a PHP project' },
  { file: /^(?:gemfile|config\.ru)$/, title: 'a Ruby project' },
  { file: /^(?:go\.mod|go\.work|main\.go)$/, title: 'a Go module' },
  { file: /^cargo\.toml$/, title: 'a Rust project' },
  { file: /^(?:pom\.xml|(?:build|settings)\.gradle(?:\.kts)?)$/, title: 'a Java project' },
  { file: /^(?:[^/]{1,200}\/)?[^/]{1,200}\.(?:csproj|fsproj)$|^[^/]{1,200}\.sln$/, title: 'a .NET project' },
  { file: /^mix\.exs$/, title: 'an Elixir project' },
  { file: /^pubspec\.ya?ml$/, title: 'a Dart or Flutter project' },
  { file: /^package\.swift$/, title: 'a Swift package' },
  { file: /^deno\.jsonc?$/, title: 'a Deno project' },
  { file: /^build\.sbt$/, title: 'a Scala project' },
  { file: /^(?:project\.clj|deps\.edn)$/, title: 'a Clojure project' },
  { file: /^(?:stack\.yaml|cabal\.project|[^/]{1,200}\.cabal)$/, title: 'a Haskell project' },
  { file: /^gleam\.toml$/, title: 'a Gleam project' },
  { file: /^rebar\.config$/, title: 'an Erlang project' },
  { file: /^dune-project$/, title: 'an OCaml project' },
  { file: /^shard\.yml$/, title: 'a Crystal project' },
  { file: /^build\.zig$/, title: 'a Zig project' },
  { file: /^[^/]{1,200}\.nimble$/, title: 'a Nim project' },
  { file: /^project\.toml$/, beside: /^manifest\.toml$|\.jl$/, title: 'a Julia project' },
  { file: /^project\.godot$/, title: 'a Godot game' },
  { file: /^projectsettings\/projectversion\.txt$/, title: 'a Unity project' },
];

/** What projects of any language may also have. A project that has nothing else is named by it. */
const OTHER_FILES: readonly OtherLanguage[] = [
  { file: /^(?:docs\/)?(?:source\/)?conf\.py$/, title: 'documentation of Sphinx' },
  { file: /^elm\.json$/, title: 'an Elm project' },
  { file: /^(?:app|server)\.r$|^[^/]{1,200}\.rproj$/, title: 'an R project' },
  { file: /^(?:cmakelists\.txt|meson\.build|(?:src\/)?main\.(?:c|cc|cpp))$/, title: 'a C or C++ project' },
  { file: /^[^/]{1,200}\.ipynb$/, title: 'a Jupyter notebook' },
  { file: /^[^/]{1,200}\.tf$/, title: 'a Terraform configuration' },
  { file: /^(?:docker-)?compose\.ya?ml$/, title: 'a Docker Compose file' },
];

const MOST_TITLES = 3;

const PAGES = /^(?:(?:dist|build|out|_site|www|public)\/)?index\.html?$/;

const titlesIn = (languages: readonly OtherLanguage[], source: Source): string[] =>
  languages
    .filter(({ file, beside }) => source.someFile(file) && (beside === undefined || source.someFile(beside)))
    .map(({ title }) => title)
    .slice(0, MOST_TITLES);

/** Names the languages and site generators of a source that builds do not run. */
export const otherLanguagesOf = (source: Source): string[] => titlesIn(OTHER_LANGUAGES, source);

/** Names what else was found, for a source that nothing else says anything about. */
export const otherFilesOf = (source: Source): string[] => titlesIn(OTHER_FILES, source);

/** True when a source is for another language and has no front page of its own, so that its files are no site. */
export const isForAnotherLanguage = (source: Source): boolean =>
  !source.someFile(PAGES) && otherLanguagesOf(source).length > 0;
