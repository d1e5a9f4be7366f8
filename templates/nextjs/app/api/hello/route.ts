import { NextResponse, type NextRequest } from 'next/server';

/** GET /api/hello?name=… */
export function GET(request: NextRequest) {
  const name = request.nextUrl.searchParams.get('name')?.slice(0, 100) ?? 'world';
  return NextResponse.json({ message: `Hello, ${name}!` });
}
