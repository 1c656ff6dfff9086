local function deeper(text)
  return (text:gsub(".", deeper))
end
function agent.resolve()
  return { system = deeper("a") }
end
