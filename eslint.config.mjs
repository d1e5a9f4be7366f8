import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const TIME_AND_IDS = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Inject Clock, so that a test can stand still.',
  },
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Inject Clock, so that a test can stand still.',
  },
  { selector: "CallExpression[callee.name='randomUUID']", message: 'Inject Ids.' },
];

const SHAPE = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  {
    selector: ":matches(FunctionDeclaration, MethodDefinition[kind='method'] > FunctionExpression)[params.length>4]",
    message: 'More than four parameters: take one object.',
  },
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/',
      'node_modules/',
      '.data/',
      'coverage/',
      '**/*.cjs',
      '**/*.mjs',
      '**/*.js',
      'client/src/openapi.ts',
      'templates/',
      'test/frameworks/fixtures/',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Nest modules are classes that only carry a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // `asserted!` marks what noUncheckedIndexedAccess cannot see; each use is one that cannot be undefined.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Views and settings are plain objects of a declared shape; that a class declares it is no promise of
      // `instanceof`.
      '@typescript-eslint/no-unsafe-class-instance': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-invalid-void-type': [
        'error',
        { allowAsThisParameter: true, allowInGenericTypeArguments: true },
      ],
      'no-restricted-syntax': [
        'error',
        ...SHAPE,
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only main.ts reads the environment; inject the settings of your module.',
        },
      ],
    },
  },
  {
    // What tenants write is matched on loops that others share: a pattern that looks back can block them for seconds.
    files: ['src/**/*.ts', 'client/src/**/*.ts', 'cli/src/**/*.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false }],
    },
  },
  {
    files: ['src/modules/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...SHAPE,
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only main.ts reads the environment; inject the settings of your module.',
        },
        ...TIME_AND_IDS,
      ],
    },
  },
  {
    files: ['src/main.ts', 'test/**/*.ts', 'bench/**/*.ts', '**/*.spec.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // The types of queries are inferred from what is asked for.
    files: ['web/src/data/*.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // Vite asks for a default export.
    files: ['web/vite.config.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    // Set to nothing means the same as not set, which `??` would not see.
    files: ['client/src/service.ts', 'cli/src/environment.ts'],
    rules: { '@typescript-eslint/prefer-nullish-coalescing': 'off' },
  },
  {
    files: ['cli/src/environment.ts'],
    rules: { 'no-restricted-syntax': ['error', ...SHAPE] },
  },
  {
    // Answers and matchers are of any shape; that they have the right one is what the tests check.
    files: ['test/**/*.ts', '**/*.spec.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/restrict-plus-operands': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },
);
