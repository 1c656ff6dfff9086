function agent.resolve()
  return { ["__proto__"] = { isAdmin = true } }
end
