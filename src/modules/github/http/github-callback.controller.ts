import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { Public } from '../../../platform/http/public.js';
import { escapeHtml } from '../../../platform/text/escape-html.js';

const LONGEST = 500;

/**
 * Receives a person whom GitHub redirects after the installation of the app. It cannot know whose browser it is, so
 * that it connects nothing: it leads to the page of the app where the person confirms it, and shows the same as a
 * command. The parameters are behind the `#` of that page, which is sent nowhere.
 */
@ApiExcludeController()
@Controller('integrations/github/callback')
@Public()
export class GithubCallbackController {
  constructor(private readonly config: Config) {}

  @Get()
  show(@Query() query: Record<string, unknown>, @Res({ passthrough: true }) response: Response): string {
    response.type('html').set({
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
      // The parameters in the URL of this page are valid once, and for nobody else.
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    });
    const [state, code, installation] = [query['state'], query['code'], query['installation_id']].map((value) =>
      typeof value === 'string' && value.length <= LONGEST ? value : '',
    );
    if (state === '' || code === '')
      return pageOf(
        '<p>GitHub did not authorize this. Enable user authorization in the settings of the app, and start again.</p>',
      );
    const body = JSON.stringify({
      state,
      code,
      installation_id: /^\d{1,15}$/.test(installation!)
        ? Number(installation)
        : 'the number in the address of the installation at GitHub',
    });
    const fragment = new URLSearchParams({ state: state!, code: code!, installation_id: installation! }).toString();
    return pageOf(`<p>GitHub has authorized you. Connect the account within ten minutes, <strong>if you started this
yourself</strong>:</p>
<p><a href="${escapeHtml(`/app/connect-github#${fragment}`)}">Continue in the web app</a></p>
<p>Or send this with your API key:</p>
<pre>curl ${escapeHtml(this.config.publicUrl)}/api/v1/integrations/github/installations \\
  -H "authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' \\
  -d ${escapeHtml(quoted(body))}</pre>
<p>If another person sent you here, close this page: nothing has been connected.</p>`);
  }
}

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const pageOf = (content: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Connect GitHub</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:4rem auto;padding:0 1rem}
pre{background:#f2f2f2;padding:1rem;white-space:pre-wrap;word-break:break-all}</style></head>
<body><h1>Connect GitHub</h1>
${content}
</body></html>
`;
