'use strict';
// Runs inside the isolation of a session: a Node that keeps its variables from run to run, as a notebook does. Each run
// is a cell. The agent starts it, and trusts it no more than the code of the session.

const fs = require('node:fs');
const Module = require('node:module');
const net = require('node:net');
const { fileURLToPath } = require('node:url');
const { inspect } = require('node:util');
const vm = require('node:vm');

const CONTROL = 3;
const HOME = '/session';
const TEXT_LIMIT = 8_192;
const PLAIN_LIMIT = 65_536;
const CELLS_KEPT = 500;
const INTERNAL_FRAME = /^ {4}at .*(?:node:|\/runtime\/session-node\.cjs)/;

const { language, typescript: typescriptProgram, transformer, compiler, parser, options } = JSON.parse(process.argv[2]);
const acorn = require(parser);

/** The names under which cells find what a module would have. */
const IMPORT = Symbol.for('session.import');
const META = Symbol.for('session.meta');

for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);

/** Loaded for TypeScript only. */
class Compiler {
  constructor() {
    const { TypeScript, SourceFault, TYPESCRIPT } = require(typescriptProgram);
    this.SourceFault = SourceFault;
    this.typescript = new (class extends TypeScript {
      byTransformer(path, source) {
        const { experimental_decorators: isLegacy = false, jsx = 'react' } = this.options;
        const transformAs = (lang) =>
          this.transformer.transformSync(path, source, {
            lang,
            sourceType: 'module',
            sourcemap: true,
            decorator: { legacy: isLegacy },
            jsx: { runtime: jsx === 'react-jsx' ? 'automatic' : 'classic', development: false },
            helpers: { mode: 'External' },
            // A later cell may use what this one imports.
            typescript: { onlyRemoveTypeImports: true },
          });
        const isFault = ({ errors }) => errors.some(({ severity }) => severity === 'Error');
        const first = transformAs('ts');
        if (!isFault(first)) return first;
        const second = transformAs('tsx');
        return isFault(second) ? first : second;
      }
    })({ transformer, compiler });
    this.typescript.options = options;
    this.typescript.warmUp();
    Module.registerHooks({
      load: (url, context, next) =>
        url.startsWith(`file://${HOME}/`) && TYPESCRIPT.test(url)
          ? this.typescript.load(fileURLToPath(url))
          : next(url, context),
    });
  }

  /** Returns the code and a function that gives positions in the source. */
  compile(path, source) {
    try {
      const { code, map } = this.typescript.transform(path, source);
      return { code, map: new Module.SourceMap(map) };
    } catch (error) {
      if (!(error instanceof this.SourceFault)) throw error;
      const [, message, line, column] = /^([^]*) \(.*:(\d+):(\d+)\)$/.exec(error.message) ?? [null, error.message];
      throw new CellFault({ message, stack: error.stack.replace(error.message, message), line, column });
    }
  }
}

/** A syntax error, in the lines of the cell. */
class CellFault extends SyntaxError {
  constructor({ message, stack, line, column }) {
    super(message);
    this.stack = stack;
    this.position = { line: Number(line), column: Number(column) };
  }
}

/**
 * Turns a cell into a script whose variables are those of the session: declarations at its top become global, imports
 * become calls, and its last expression becomes its value. Lines stay where they are.
 */
class Cell {
  constructor(code) {
    this.code = code;
    this.edits = [];
    this.names = new Set();
    /** What functions need before everything else. */
    this.hoisted = '';
    const tree = acorn.parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'script',
      allowAwaitOutsideFunction: true,
      allowImportExportEverywhere: true,
      allowHashBang: true,
      allowSuperOutsideMethod: false,
    });
    this.start = 0;
    for (const node of tree.body) if (node.directive !== undefined) this.start = node.end;
    const last = tree.body.at(-1);
    for (const node of tree.body) this.top(node, node === last);
    visit(tree, (node) => this.inner(node));
  }

  /** The script, and how many characters precede the code in its first line. */
  get script() {
    const declared = [...this.names].join(', ');
    const before = `${declared === '' ? '' : `var ${declared}; `}(async () => {`;
    const edits = [...this.edits];
    if (this.hoisted !== '') edits.push({ at: this.start, to: this.start, text: `;${this.hoisted}` });
    edits.sort((one, other) => one.at - other.at || one.to - other.to);
    let code = '';
    let at = 0;
    for (const edit of edits) {
      if (edit.at < at) continue;
      code += this.code.slice(at, edit.at) + edit.text;
      at = edit.to;
    }
    code += this.code.slice(at);
    if (code.startsWith('#!')) code = `//${code}`;
    return { source: `${before}${code}\n})()`, shift: before.length };
  }

  replace(node, text) {
    const { start: at, end: to } = node;
    // What follows stays in its line.
    const lines = this.code.slice(at, to).split('\n').length - text.split('\n').length;
    this.edits.push({ at, to, text: text + '\n'.repeat(Math.max(0, lines)) });
  }

  insert(at, text) {
    this.edits.push({ at, to: at, text });
  }

  blank(at, to) {
    this.edits.push({ at, to, text: this.code.slice(at, to).replace(/[^\n]/g, ' ') });
  }

  top(node, isLast) {
    switch (node.type) {
      case 'VariableDeclaration':
        return this.variables(node);
      case 'FunctionDeclaration':
        return this.named(node.id.name);
      case 'ClassDeclaration':
        this.names.add(node.id.name);
        this.insert(node.start, `${node.id.name}=`);
        return this.insert(node.end, ';');
      case 'ImportDeclaration':
        return this.imports(node);
      case 'ExportNamedDeclaration':
        if (node.declaration === null) return this.replace(node, ';');
        this.blank(node.start, node.declaration.start);
        return this.top(node.declaration, false);
      case 'ExportDefaultDeclaration':
        return this.exported(node, isLast);
      case 'ExportAllDeclaration':
        return this.replace(node, ';');
      case 'ExpressionStatement':
        if (isLast && node.directive === undefined) this.value(node);
        else if (isLast) this.insert(node.end, `;return {value: ${node.expression.raw}};`);
    }
  }

  value(statement) {
    const { start, end } = statement;
    this.insert(start, ';return {value: (');
    if (this.code[end - 1] === ';') this.edits.push({ at: end - 1, to: end, text: ')};' });
    else this.insert(end, ')};');
  }

  named(name) {
    this.names.add(name);
    this.hoisted += `globalThis[${JSON.stringify(name)}]=${name};`;
  }

  exported(node, isLast) {
    const { declaration } = node;
    this.blank(node.start, declaration.start);
    if (declaration.type.endsWith('Declaration') && declaration.id !== null) return this.top(declaration, false);
    if (!declaration.type.endsWith('Declaration') && isLast)
      return this.value({ start: declaration.start, end: node.end });
    this.insert(declaration.start, '(');
    return this.insert(declaration.end, ')');
  }

  imports({ start, end, specifiers, source, attributes = [] }) {
    const given = attributes.map(({ key, value }) => `${JSON.stringify(key.name ?? key.value)}: ${value.raw}`);
    const call = `await import(${source.raw}${given.length === 0 ? '' : `, {with: {${given.join(', ')}}}`})`;
    const all = specifiers.find(({ type }) => type === 'ImportNamespaceSpecifier');
    const others = specifiers
      .filter((specifier) => specifier !== all)
      .map(({ type, imported, local }) => {
        const name = type === 'ImportDefaultSpecifier' ? 'default' : (imported.name ?? imported.value);
        return `${JSON.stringify(name)}: ${local.name}`;
      });
    for (const { local } of specifiers) this.names.add(local.name);
    const name = JSON.stringify(source.value);
    const wanted = specifiers
      .filter(({ type }) => type === 'ImportSpecifier')
      .map(({ imported }) => imported.name ?? imported.value);
    const checked = `globalThis[Symbol.for('session.import')](${call}, ${name}, ${JSON.stringify(wanted)})`;
    const text =
      specifiers.length === 0
        ? `${call};`
        : [
            all === undefined ? [] : `${all.local.name} = ${call};`,
            others.length === 0 ? [] : `({${others.join(', ')}} = ${checked});`,
          ]
            .flat()
            .join(' ');
    this.replace({ start, end }, text);
  }

  /** A declaration becomes assignments, so that a cell can run again. */
  variables(node) {
    const { kind, declarations } = node;
    const name = this.code.slice(node.start).match(/^(?:await\s+)?\w+/)[0];
    // It is disposed of at the end of the cell.
    if (kind === 'using' || kind === 'await using') return;
    for (const { id } of declarations) for (const bound of namesIn(id)) this.names.add(bound);
    this.edits.push({ at: node.start, to: node.start + name.length, text: `;${' '.repeat(name.length - 2)}(` });
    declarations.forEach(({ id, init }) => {
      if (init !== null) return;
      // Only `var` keeps the value that it has.
      this.insert(id.end, kind === 'var' ? `=${this.code.slice(id.start, id.end)}` : '=undefined');
    });
    this.insert(declarations.at(-1).end, this.code[node.end - 1] === ';' ? ')' : ');');
  }

  /** A `var` in a block is one of the top, too. */
  inner(node) {
    if (node.type === 'MetaProperty' && node.meta.name === 'import')
      this.replace(node, "globalThis[Symbol.for('session.meta')]");
    if (node.type !== 'VariableDeclaration' || node.kind !== 'var' || node.isTop) return;
    for (const { id } of node.declarations) for (const bound of namesIn(id)) this.names.add(bound);
    const { parent } = node;
    if (parent?.type === 'ForInStatement' || parent?.type === 'ForOfStatement') {
      if (parent.left === node) return this.blank(node.start, node.declarations[0].start);
    }
    const isInitial = parent?.type === 'ForStatement' && parent.init === node;
    const isInList = ['BlockStatement', 'SwitchCase'].includes(parent?.type);
    this.edits.push({ at: node.start, to: node.start + 3, text: isInList ? '; (' : '  (' });
    for (const { id, init } of node.declarations)
      if (init === null) this.insert(id.end, `=${this.code.slice(id.start, id.end)}`);
    this.insert(node.declarations.at(-1).end, isInitial || this.code[node.end - 1] === ';' ? ')' : ');');
  }
}

function namesIn(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => namesIn(property.value ?? property.argument));
    case 'ArrayPattern':
      return pattern.elements.flatMap(namesIn);
    case 'AssignmentPattern':
      return namesIn(pattern.left);
    case 'RestElement':
      return namesIn(pattern.argument);
    default:
      return [];
  }
}

/** Visits what belongs to the cell itself: nothing in functions, except for `import.meta`. */
function visit(tree, take) {
  const pending = [{ node: tree, parent: null, isInside: false }];
  while (pending.length > 0) {
    const { node, parent, isInside } = pending.pop();
    node.parent = parent;
    node.isTop = parent?.type === 'Program' || parent?.type === 'ExportNamedDeclaration';
    if (!isInside || node.type === 'MetaProperty') take(node);
    const isFunction = /Function|PropertyDefinition|StaticBlock/.test(node.type);
    for (const [key, value] of Object.entries(node)) {
      if (key === 'parent') continue;
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof child?.type === 'string')
          pending.push({ node: child, parent: node, isInside: isInside || isFunction });
    }
  }
}

class Session {
  constructor(language) {
    this.count = 0;
    this.extension = language === 'typescript' ? 'ts' : 'js';
    this.compiler = language === 'typescript' ? new Compiler() : null;
    this.maps = new Map();
    /** Rejects the run that is under way. */
    this.stop = null;
  }

  async run(source) {
    this.count += 1;
    const path = `${HOME}/cell-${this.count}.${this.extension}`;
    // Another name, because a position in the compiled code would mislead.
    const file = this.compiler === null ? path : path.replace(/\.ts$/, '.out.js');
    try {
      const script = this.scriptOf(path, file, source);
      const stopped = new Promise((_resolve, reject) => (this.stop = reject));
      const running = script.runInThisContext({ breakOnSigint: true });
      const outcome = await Promise.race([running, stopped]);
      // The end of an asynchronous program is the end of the cell.
      if (outcome !== undefined) show(await Promise.race([outcome.value, stopped]));
      return undefined;
    } catch (error) {
      return this.explain(error, path);
    } finally {
      this.stop = null;
    }
  }

  scriptOf(path, file, source) {
    const compiled = this.compiler?.compile(path, source);
    if (compiled !== undefined) this.keep(file, compiled.map);
    const code = compiled?.code ?? source;
    const cell = cellOf(file, code);
    const { source: whole, shift } = cell.script;
    const script = new vm.Script(whole, {
      filename: file,
      columnOffset: -shift,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    for (const name of cell.names) makeWritable(name);
    return script;
  }

  keep(file, map) {
    this.maps.set(file, map);
    if (this.maps.size > CELLS_KEPT) this.maps.delete(this.maps.keys().next().value);
  }

  /** Prints an error and describes it. */
  explain(error, path) {
    const isError = error instanceof Error || Object.prototype.toString.call(error) === '[object Error]';
    let stack;
    try {
      stack = isError ? this.positioned(withoutInternals(String(error.stack))) : `Uncaught ${inspect(error)}`;
    } catch {
      stack = 'Uncaught';
    }
    let shown = stack;
    try {
      // It has further properties and causes.
      if (isError) shown = this.positioned(withoutInternals(inspect(error)));
    } catch {
      // An error may do what it wants when it is looked at.
    }
    if (error instanceof CellFault) shown = stack;
    process.stderr.write(`${shown}\n`);
    const place = new RegExp(`${path.replaceAll('.', '\\.')}:(\\d+)(?::(\\d+))?`).exec(stack);
    const line = error instanceof CellFault ? error.position.line : Number(place?.[1]);
    const column = error instanceof CellFault ? error.position.column : Number(place?.[2]) || caretColumn(stack);
    return {
      name: isError ? textOf(() => error.name, 100) : 'Error',
      message: isError ? textOf(() => error.message) : textOf(() => inspect(error, { depth: 1 })),
      stack: stack.slice(0, TEXT_LIMIT),
      ...(line > 0 ? { line } : {}),
      ...(line > 0 && column > 0 ? { column } : {}),
    };
  }

  positioned(stack) {
    return stack.replace(/\/session\/cell-\d+\.out\.js:(\d+):(\d+)/g, (shown, line, column) => {
      const file = shown.slice(0, shown.indexOf(':'));
      const found = this.maps.get(file)?.findEntry(Number(line) - 1, Number(column) - 1);
      const source = file.replace('.out.js', '.ts');
      if (found?.originalLine === undefined) return `${source}:${line}:${column}`;
      return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
    });
  }
}

function cellOf(file, code) {
  try {
    return new Cell(code);
  } catch (error) {
    if (error.loc === undefined) throw error;
    const { line, column } = error.loc;
    const message = error.message.replace(/ \(\d+:\d+\)$/, '');
    const text = code.split('\n')[line - 1] ?? '';
    const name = file.replace('.out.js', '.ts');
    const stack = `${name}:${line}\n${text.slice(0, 200)}\n${' '.repeat(Math.min(column, 200))}^\n\nSyntaxError: ${message}`;
    throw new CellFault({ message, stack, line, column: column + 1 });
  }
}

/** Some names of Node are properties that cannot be assigned. */
function makeWritable(name) {
  const property = Object.getOwnPropertyDescriptor(globalThis, name);
  if (property === undefined || property.writable === true || property.configurable !== true) return;
  const value = globalThis[name];
  Object.defineProperty(globalThis, name, {
    value,
    writable: true,
    enumerable: property.enumerable,
    configurable: true,
  });
}

const withoutInternals = (stack) =>
  stack
    .split('\n')
    .filter((line) => !INTERNAL_FRAME.test(line))
    .join('\n')
    .trimEnd();

function caretColumn(stack) {
  const caret = stack.split('\n', 3)[2] ?? '';
  return /^\s*\^/.test(caret) ? caret.indexOf('^') + 1 : 0;
}

function textOf(get, limit = TEXT_LIMIT) {
  try {
    return String(get()).slice(0, limit);
  } catch {
    return '';
  }
}

function show(value) {
  if (value === undefined) return;
  let text;
  try {
    text = inspect(value);
  } catch {
    text = Object.prototype.toString.call(value);
  }
  if (text.length > PLAIN_LIMIT) text = `${text.slice(0, PLAIN_LIMIT)}…`;
  control.send({ op: 'result', type: 'text/plain' }, Buffer.from(text));
}

/** The socket to the agent. */
class Control {
  constructor(onFrame) {
    this.onFrame = onFrame;
    this.received = Buffer.alloc(0);
    this.socket = new net.Socket({ fd: CONTROL, readable: true, writable: true });
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('close', () => process.exit());
    this.socket.on('error', () => undefined);
  }

  send(header, body = Buffer.alloc(0)) {
    const head = Buffer.from(JSON.stringify(header));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(head.length, 0);
    lengths.writeUInt32BE(body.length, 4);
    this.socket.write(Buffer.concat([lengths, head, body]));
  }

  take(chunk) {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    while (this.received.length >= 8) {
      const start = 8 + this.received.readUInt32BE(0);
      const end = start + this.received.readUInt32BE(4);
      if (this.received.length < end) return;
      const header = JSON.parse(this.received.toString('utf8', 8, start));
      const body = this.received.subarray(start, end);
      this.received = this.received.subarray(end);
      this.onFrame(header, body);
    }
  }
}

/** The input of each run is a file of its own, because many programs open /dev/stdin. */
function replaceStdin(content) {
  let path = '/dev/null';
  if (content.length > 0) {
    path = `/tmp/.stdin-${process.pid}`;
    fs.writeFileSync(path, content);
  }
  try {
    fs.closeSync(0);
  } catch {
    // The code has closed it.
  }
  // open() returns the lowest free descriptor, which is 0.
  fs.openSync(path, 'r');
  if (content.length > 0) fs.unlinkSync(path);
  let stream;
  Object.defineProperty(process, 'stdin', {
    configurable: true,
    enumerable: true,
    get: () => (stream ??= new fs.ReadStream(null, { fd: 0, autoClose: false })),
  });
}

function defineGlobals() {
  const require = Module.createRequire(`${HOME}/cell.js`);
  const module = new Module(`${HOME}/cell.js`);
  module.exports = {};
  const globals = { require, module, exports: module.exports, __filename: `${HOME}/cell.js`, __dirname: HOME };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  const url = `file://${HOME}/cell.js`;
  const meta = { dirname: HOME, filename: `${HOME}/cell.js`, url, resolve: (name) => resolveFrom(require, name) };
  const hidden = {
    [META]: meta,
    // As the engine says it for modules.
    [IMPORT]: (namespace, source, names) => {
      const missing = names.find((name) => !(name in namespace));
      if (missing !== undefined && language === 'javascript')
        throw new SyntaxError(`The requested module '${source}' does not provide an export named '${missing}'`);
      return namespace;
    },
  };
  for (const name of Object.getOwnPropertySymbols(hidden))
    Object.defineProperty(globalThis, name, { value: hidden[name], enumerable: false });
}

function resolveFrom(require, name) {
  const found = require.resolve(name);
  return Module.isBuiltin(found) ? found : `file://${found}`;
}

const session = new Session(language);

const control = new Control(({ id, stdin }, body) => {
  const size = body.length - stdin;
  replaceStdin(body.subarray(size));
  void session.run(body.toString('utf8', 0, size)).then((error) => {
    control.send({ op: 'done', id, ...(error === undefined ? {} : { error }) });
  });
});

process.on('SIGINT', () => {
  session.stop?.(new Error('The run was interrupted.'));
});
// Such an error belongs to the run that is under way. It does not end the session.
process.on('uncaughtException', (error) => {
  if (session.stop === null) process.stderr.write(`${inspect(error)}\n`);
  else session.stop(error);
});
process.argv = [process.argv[0], `${HOME}/cell.js`];
process.execArgv = [];
defineGlobals();
control.send({ op: 'ready', version: process.versions.node });
