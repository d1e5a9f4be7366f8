import { resolve } from 'node:path';
import { ModuleSettings } from '../../platform/config/module-settings.js';
import { IntegerSetting, TextSetting, UrlSetting } from '../../platform/config/setting.js';
import { type FileModel, type ModelsFile, readModelsFile, type RouterDeclaration } from './catalog/models-file.js';

export class AiSettings extends ModuleSettings {
  @UrlSetting({
    name: 'MODEL_ROUTER_URL',
    summary: 'Server that runs models, with the API of OpenAI: Ollama, llama-server, vLLM, LiteLLM.',
    see: 'ai.md#set-up-models',
    example: 'http://127.0.0.1:11434/v1',
  })
  private readonly modelRouterUrl?: string;

  @TextSetting({ name: 'MODEL_ROUTER_API_KEY', summary: 'Key for `MODEL_ROUTER_URL`, if it requires one.' })
  private readonly modelRouterApiKey?: string;

  @TextSetting({
    name: 'OPENROUTER_API_KEY',
    summary: 'Key of OpenRouter, which sells the models of many providers. Callers pay its prices.',
    see: 'ai.md#set-up-models',
  })
  private readonly openRouterApiKey?: string;

  @UrlSetting({ name: 'OPENROUTER_URL', summary: 'URL of the OpenRouter API.' })
  private readonly openRouterUrl: string = 'https://openrouter.ai/api/v1';

  @TextSetting({
    name: 'MODELS_FILE',
    summary: 'JSON file with further routers, and with models, their aliases and prices.',
    see: 'ai.md#models-file',
  })
  private readonly modelsFile?: string;

  @IntegerSetting({
    name: 'AI_MARKUP_PERCENT',
    summary: 'What callers pay for tokens on top of the prices of a router.',
    unit: '%',
    min: 0,
    max: 1_000,
  })
  readonly markupPercent: number = 0;

  private read: ModelsFile | undefined;

  /** All routers. If two list the same model, the earlier one serves it. */
  get routers(): readonly RouterDeclaration[] {
    return [
      ...this.file.routers,
      ...(this.modelRouterUrl === undefined
        ? []
        : [{ id: 'default', type: 'openai', url: this.modelRouterUrl, apiKey: this.modelRouterApiKey } as const]),
      ...(this.openRouterApiKey === undefined
        ? []
        : [{ id: 'openrouter', type: 'openrouter', url: this.openRouterUrl, apiKey: this.openRouterApiKey } as const]),
    ];
  }

  /** The models that the file names, besides those that routers list. */
  get models(): readonly FileModel[] {
    return this.file.models;
  }

  /** True when only the models of the file are offered. */
  get offersOnlyListed(): boolean {
    return this.file.onlyListed;
  }

  override faults(environment: NodeJS.ProcessEnv): readonly string[] {
    const faults = this.file.faults.map((fault) => `MODELS_FILE: ${fault}`);
    if (environment['MODEL_ROUTER_API_KEY'] !== undefined && environment['MODEL_ROUTER_URL'] === undefined)
      faults.push('MODEL_ROUTER_URL must be set if MODEL_ROUTER_API_KEY is');
    const known = new Set(this.routers.map(({ id }) => id));
    for (const { id, router } of this.models)
      if (!known.has(router)) faults.push(`MODELS_FILE: the model ${id} names the router ${router}, which is not set`);
    return faults;
  }

  private get file(): ModelsFile {
    this.read ??=
      this.modelsFile === undefined
        ? { routers: [], models: [], onlyListed: false, faults: [] }
        : readModelsFile(resolve(this.modelsFile));
    return this.read;
  }
}
