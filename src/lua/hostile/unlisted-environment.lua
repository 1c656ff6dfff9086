function agent.resolve()
  return { listed = env.get("LISTED"), home = env.get("HOME") or "none", proto = env.get("__proto__") or "none" }
end
