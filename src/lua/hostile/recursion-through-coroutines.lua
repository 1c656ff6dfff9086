local function deeper()
  coroutine.wrap(deeper)()
end
function agent.resolve()
  deeper()
end
